import APIKitLite
import Foundation

/// Sends the body of one response: see ``MockResponse/stream(contentType:status:headers:_:)``.
///
/// A call of `send` suspends until the client has received the piece. That moment depends on the
/// client:
///
/// - With the network as the session, the client receives the piece immediately. If the client's
///   reader is busy, the piece waits in the body, and counts toward the limit of
///   `stream(_:buffering:)`.
/// - A `URLSession` has received the piece after it has called its delegate, if it has one. (On
///   Apple platforms, the piece counts as received when Foundation has received the piece, because
///   the library cannot see when the delegate is called.) While the session's task is suspended,
///   the call of `send` waits.
/// - A client on a socket has received the piece when all bytes of the piece are in the system's
///   buffer. If the client does not read, the call waits once that buffer is full.
public struct StreamWriter: Sendable {
    let onSend: @Sendable (Data) async throws -> Void

    /// Sends text as one piece, and suspends until the client has received it.
    ///
    /// - Parameter text: The text, sent as UTF-8. If the text is empty, nothing is sent.
    /// - Throws: `URLError.networkConnectionLost` if the client has left (it cancelled its request,
    ///   closed its socket, or timed out); `CancellationError` if the task is cancelled first.
    public func send(_ text: String) async throws {
        try await send(Data(text.utf8))
    }

    /// Sends a server-sent event as one piece, and suspends until the client has received it.
    ///
    /// - Parameter event: The event.
    /// - Throws: The same errors as ``send(_:)-(String)``.
    public func send(_ event: ServerSentEvent) async throws {
        try await send(event.text)
    }

    /// Sends bytes as one piece, and suspends until the client has received them.
    ///
    /// - Parameter data: The bytes. If there are no bytes, nothing is sent.
    /// - Throws: The same errors as ``send(_:)-(String)``.
    public func send(_ data: Data) async throws {
        try await onSend(data)
    }
}
