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

    /// Learns that a load was lost although its exchange had succeeded: the answer was not accepted
    /// (stage `.validate`) or not understood (`.parse`).
    ///
    /// A session that wraps another passes this on to it, so that an observer hears of it at any
    /// place in a chain. Does nothing by default.
    func loadDidFail(_ error: APIRequestError)
}

extension HTTPSession {
    /// Takes no notice.
    public func loadDidFail(_ error: APIRequestError) {}
}
