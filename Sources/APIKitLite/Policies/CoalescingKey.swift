import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What two requests must have in common to share one exchange.
///
/// Not the text that people read, which leaves out what tells one user's request from another's.
struct CoalescingKey: Hashable {
    private let method: String
    private let url: String
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: UInt
    private let timeout: TimeInterval
    private let handlesCookies: Bool
    private let allowsCellular: Bool

    /// Nil where a request must be sent for itself.
    init?(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        self.url = url
        var headers: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            // Two spellings of one name cannot be told apart by order: neither is dropped.
            headers[name] = headers[name].map { $0 + "\n" + value } ?? value
        }
        self.headers = headers
        body = request.httpBody
        cachePolicy = request.cachePolicy.rawValue
        timeout = request.timeoutInterval
        handlesCookies = request.httpShouldHandleCookies
        allowsCellular = request.allowsCellularAccess
    }
}
