import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request that carries the credential of a generation.
struct AuthorizedRequest {
    let request: URLRequest
    let generation: Int
}

extension AuthorizedRequest: OpaquelyReflected {
    var description: String {
        let url = Redaction.standard.url(request.url?.absoluteString ?? "(no URL)")
        return "\(request.httpMethod ?? "GET") \(url), with credential \(generation)"
    }
}
