import APIKitLite
import ClashingNames
import Foundation

import protocol APIKitLite.Authenticator
import struct APIKitLite.RetryPolicy

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// With an import of its own a name is ours in the whole file.

func standardPolicy() -> RetryPolicy { .standard }

struct KeyInQuery: Authenticator {
    func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
        var request = request
        request.url?.append(queryItems: [URLQueryItem(name: "key", value: key)])
        return request
    }
}
