import Foundation

/// Sends one request and gives back its answer: the one seam between a loader and a network.
///
/// `URLSession` is one. A wrapper around any session is one too, so policies chain.
public protocol HTTPSession: Sendable {
    /// Sends a request and waits for the whole body.
    ///
    /// Every status is an answer, not an error. Cancelling the task cancels the exchange.
    ///
    /// - Throws: What kept the answer from coming: for a `URLSession`, a `URLError`.
    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)
}

/// An answer that did not come over HTTP, as from a `file:` or `data:` URL.
public struct NotAnHTTPResponse: LocalizedError, Equatable, Sendable {
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
