import Foundation

/// An answer that did not come over HTTP, as from a `file:` or `data:` URL.
public struct NotAnHTTPResponseError: LocalizedError, Equatable, Sendable {
    /// Where the answer came from.
    public let url: URL?

    /// Names the answer that was not HTTP.
    public init(url: URL?) {
        self.url = url
    }

    /// A sentence that names the scheme.
    public var errorDescription: String? {
        let scheme = url?.scheme.map { "a \($0): URL" } ?? "a URL without a scheme"
        return "The answer did not come over HTTP but from \(scheme). Use http: or https:."
    }
}
