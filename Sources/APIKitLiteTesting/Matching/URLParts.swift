import Foundation

/// The parts of a URL, in the form in which requests are compared.
struct URLParts: Sendable {
    /// The scheme in lowercase.
    let scheme: String
    /// The host in lowercase, without user info or port. An IPv6 address includes its brackets.
    let host: String
    let explicitPort: Int?
    /// The percent-encoded path, or `""` if the URL has no path.
    let path: String
    /// The percent-encoded query without the question mark; nil if there is no query.
    let query: String?

    init(_ url: String) {
        let parts = URLComponents(string: url)
        scheme = parts?.scheme?.lowercased() ?? ""
        host = parts?.encodedHost?.lowercased() ?? ""
        explicitPort = parts?.port
        path = parts?.percentEncodedPath ?? ""
        query = parts?.percentEncodedQuery
    }

    /// The port to connect to: the explicit port, or the scheme's default port; nil if the URL has
    /// no explicit port and its scheme has no default port.
    var port: Int? {
        explicitPort ?? ["https": 443, "http": 80, "wss": 443, "ws": 80][scheme]
    }

    /// The host and the explicit port, in the form of a `Host` header.
    var hostAndPort: String {
        host + (explicitPort.map { ":\($0)" } ?? "")
    }
}
