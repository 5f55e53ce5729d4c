import Foundation

/// The properties that must be equal for two requests to share one exchange.
///
/// The key holds the values themselves. Redacted text would make two users' requests look equal.
struct CoalescingKey: Hashable {
    private let values: [AnyHashable?]

    /// Creates the key of a request.
    ///
    /// Returns `nil` if the request must have its own exchange, because its method is not `GET`,
    /// `HEAD` or `QUERY`, its body is a stream, it has no URL, or its redirect policy cannot be
    /// compared.
    init?(_ request: URLRequest, _ context: SendContext = SendContext()) {
        var redirects: RedirectPolicy?
        switch context.redirects {
        case nil: break
        case .policy(let policy): redirects = policy
        case .sameOriginOrFailure, .closure: return nil
        }
        let method = request.httpMethod ?? "GET"
        guard ["GET", "HEAD", "QUERY"].contains(method), request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        var headers: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            // On Linux, a name may occur in two spellings. The key keeps both values.
            headers[name] = headers[name].map { $0 + "\n" + value } ?? value
        }
        values = [
            method, url, headers, request.httpBody, request.cachePolicy, request.timeoutInterval,
            request.httpShouldHandleCookies, request.allowsCellularAccess, redirects,
            context.bodyLimit,
        ]
    }
}
