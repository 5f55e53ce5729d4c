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

    /// Sends a request, and returns its response as soon as the headers have been received.
    ///
    /// A response with any status is returned, not thrown. The body follows in pieces. Cancelling
    /// the task, leaving the loop over the body, and releasing the body each end the transfer.
    ///
    /// By default, throws ``StreamingNotSupportedError``, so that a session never receives the
    /// whole body before it returns.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body, which can be read once, and the status and headers.
    /// - Throws: The reason why no response was received, as ``exchange(_:)``.
    func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse)

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
    /// Throws ``StreamingNotSupportedError`` with the type of this session.
    ///
    /// - Parameter request: The request, which is not sent.
    /// - Throws: ``StreamingNotSupportedError``.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        throw StreamingNotSupportedError(session: "\(Self.self)")
    }

    /// Does nothing.
    public func loadDidFail(_ error: APIRequestError) {}
}
