import Foundation

/// The properties of a request that must be equal for two requests to share one exchange.
///
/// The key holds the values themselves. Redacted text would make two users' requests look equal.
struct CoalescingKey: Hashable {
    private let method: String
    private let url: String
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: URLRequest.CachePolicy
    private let timeout: TimeInterval
    private let handlesCookies: Bool
    private let allowsCellularAccess: Bool
    private let redirects: RedirectPolicy?
    private let bodyLimit: Int?

    /// Creates the key of a request.
    ///
    /// Returns `nil` if the request must have its own exchange: its method is not `GET`, `HEAD` or
    /// `QUERY`, its body is a stream, it has no URL, or no two of its redirects can be compared.
    init?(_ request: URLRequest, _ context: SendContext = SendContext()) {
        switch context.redirects {
        case nil: self.redirects = nil
        case .policy(let policy): self.redirects = policy
        case .sameOriginOrFailure, .closure: return nil
        }
        method = request.httpMethod ?? "GET"
        guard ["GET", "HEAD", "QUERY"].contains(method), request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        var headers: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            // On Linux one name may occur in two spellings. The key keeps both values.
            headers[name] = headers[name].map { $0 + "\n" + value } ?? value
        }
        self.url = url
        self.headers = headers
        body = request.httpBody
        cachePolicy = request.cachePolicy
        timeout = request.timeoutInterval
        handlesCookies = request.httpShouldHandleCookies
        allowsCellularAccess = request.allowsCellularAccess
        bodyLimit = context.bodyLimit
    }
}
