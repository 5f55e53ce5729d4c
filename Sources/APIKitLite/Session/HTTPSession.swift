import Foundation

/// A type that sends a request and returns its response: all that a loader needs of a network.
///
/// `URLSession` conforms. A type that wraps another session conforms too, so policies can be
/// chained: see ``SessionPolicy``.
public protocol HTTPSession: Sendable {
    /// Sends a request and returns its response when the whole body has been received.
    ///
    /// A response with any status is returned, not thrown. Cancelling the task cancels the
    /// exchange.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body, and the status and headers.
    /// - Throws: The reason why no complete response was received. For a `URLSession`, it is a
    ///   `URLError`.
    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Informs the session that a load failed after its exchange had succeeded: the response was
    /// not accepted (stage `.validate`) or not parsed (stage `.parse`).
    ///
    /// A session that wraps another one forwards this call, so that an observer at any position in
    /// a chain is informed. ``SessionPolicy`` does so. By default, does nothing.
    ///
    /// - Parameter error: The error that the load throws.
    func loadDidFail(_ error: APIRequestError)
}

extension HTTPSession {
    /// Does nothing.
    public func loadDidFail(_ error: APIRequestError) {}
}
