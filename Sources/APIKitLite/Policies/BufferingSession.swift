import Foundation

extension HTTPSession {
    /// Returns a session that sets how many bytes of a stream may wait for its reader.
    ///
    ///     let session = URLSession.shared.bufferingStreams(upTo: 1_000_000)
    ///
    /// By default, 64 MiB (67,108,864 bytes) may wait for each stream. If more arrive while the
    /// reader is busy, the stream ends with ``BodyLimitError``. On Apple platforms, a `URLSession`
    /// suspends its task before that, while more than 1 MiB or half of the limit waits, so that the
    /// server waits. On Linux, while more than 2 MiB or half of the limit waits, the server is
    /// delayed for 100 ms at most until the reader takes something.
    ///
    /// - Parameter limit: The number of bytes. A value below 1 counts as 1.
    /// - Returns: A session that wraps this one.
    public func bufferingStreams(upTo limit: Int) -> BufferingSession {
        BufferingSession(next: self, limit: limit)
    }
}

/// A session with its own limit for the bytes of a stream that wait to be read: see
/// ``HTTPSession/bufferingStreams(upTo:)``.
public struct BufferingSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    private let limit: Int

    init(next: any HTTPSession, limit: Int) {
        self.next = next
        self.limit = limit
    }

    /// Sends the request. The limit does not concern an exchange, which receives a whole body.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response.
    /// - Throws: The error of the wrapped session.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await next.exchange(request)
    }

    /// Opens a stream with the limit.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response.
    /// - Throws: The error of the wrapped session.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await BodyBuffer.$limit.withValue(limit) { try await next.stream(request) }
    }
}
