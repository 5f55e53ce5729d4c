import Foundation

/// An error for a response that is not an HTTP response, such as that of a `file:` or `data:` URL.
public struct NotAnHTTPResponseError: LocalizedError, Equatable, Sendable {
    /// The URL of the response.
    public let url: URL?

    /// Creates the error.
    ///
    /// - Parameter url: The URL of the response.
    public init(url: URL?) {
        self.url = url
    }

    /// A sentence that names the scheme.
    public var errorDescription: String? {
        let scheme = url?.scheme.map { "a \($0): URL" } ?? "a URL without a scheme"
        return "The answer did not come over HTTP but from \(scheme). Use http: or https:."
    }
}
