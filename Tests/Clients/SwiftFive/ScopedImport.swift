import APIKitLite
import ClashingNames
import Foundation

import protocol APIKitLite.Authenticator
import struct APIKitLite.RetryPolicy

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The import of a single name makes that name ours in the whole file.

func standardPolicy() -> RetryPolicy { .standard }

struct KeyInQuery: Authenticator {
    func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
        var request = request
        request.url?.append(queryItems: [URLQueryItem(name: "key", value: key)])
        return request
    }
}
