import Foundation

/// The properties of a request that must be equal for two requests to share one exchange.
///
/// The key holds the values themselves. Redacted text would make two users' requests look equal.
struct CoalescingKey: Hashable {
    private let method: String
    private let url: String
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: UInt
    private let timeout: TimeInterval
    private let handlesCookies: Bool
    private let allowsCellular: Bool
    /// Differs for the refresh of a credential, for which an equal request may wait.
    private let mainDocumentURL: URL?

    /// Creates the key of a request.
    ///
    /// Returns `nil` if the request must have an exchange of its own: its method is neither `GET`
    /// nor `HEAD`, its body is a stream, or it has no URL.
    init?(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        self.url = url
        var headers: [String: String] = [:]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            // On Linux one name may occur in two spellings. The key keeps both values.
            headers[name] = headers[name].map { $0 + "\n" + value } ?? value
        }
        self.headers = headers
        body = request.httpBody
        cachePolicy = request.cachePolicy.rawValue
        timeout = request.timeoutInterval
        handlesCookies = request.httpShouldHandleCookies
        allowsCellular = request.allowsCellularAccess
        mainDocumentURL = request.mainDocumentURL
    }
}
