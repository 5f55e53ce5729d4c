import APIKitLite
import Foundation

/// The sender of the body of one response: see ``MockResponse/stream(contentType:status:headers:_:)``.
///
/// A call of `send` suspends until the client has taken the piece, so that a test decides exactly
/// when each piece comes, and no piece waits anywhere. What that means depends on the client:
///
/// - The body of a ``MockURLSession`` takes it when its reader receives it from `next()`.
/// - A `URLSession` takes it when its delegate is called. (On Apple platforms, it is when
///   Foundation has the piece, because nothing shows the delegate of another session.)
/// - A client on a socket takes it when all of its bytes are in the buffer of the system. They are
///   sent immediately.
/// - A client that wants the whole body, such as `exchange(_:)`, takes each piece at once.
public struct StreamWriter: Sendable {
    private let stream: ResponseStream

    init(_ stream: ResponseStream) {
        self.stream = stream
    }

    /// Sends text as one piece, and suspends until the client has taken it.
    ///
    /// - Parameter text: The text, sent as UTF-8. If it is empty, nothing is sent.
    /// - Throws: `URLError.networkConnectionLost` if the client has gone: it cancelled its request,
    ///   closed its socket, or timed out.
    public func send(_ text: String) async throws {
        try await send(Data(text.utf8))
    }

    /// Sends a server-sent event as one piece, and suspends until the client has taken it.
    ///
    /// - Parameter event: The event.
    /// - Throws: `URLError.networkConnectionLost`, as ``send(_:)-(String)``.
    public func send(_ event: ServerSentEvent) async throws {
        try await send(event.text)
    }

    /// Sends bytes as one piece, and suspends until the client has taken them.
    ///
    /// - Parameter data: The bytes. If there are none, nothing is sent.
    /// - Throws: `URLError.networkConnectionLost`, as ``send(_:)-(String)``.
    public func send(_ data: Data) async throws {
        try await stream.send(data)
    }

    /// Suspends for a duration on the network's clock.
    ///
    /// A ``MockClock`` counts it as a sleeper. Without a clock it takes no time, but keeps the order
    /// of delays.
    ///
    /// - Parameter duration: The time to sleep. If it is not positive, returns immediately.
    /// - Throws: `URLError.networkConnectionLost`, as soon as the client has gone.
    public func sleep(for duration: Duration) async throws {
        try await stream.sleep(for: duration)
    }
}
