import APIKitLite
import Foundation

// Responses whose bodies arrive in pieces over time.
extension MockResponse {
    /// Returns a response with server-sent events, each in a separate piece (HTML Standard, section
    /// 9.2).
    ///
    /// The response has no `Content-Length`, because a server does not know the body's length in
    /// advance.
    ///
    /// - Parameters:
    ///   - events: The events, in order.
    ///   - interval: The time between two events, on the network's clock. A negative interval is a
    ///     configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers. A name may occur several times.
    /// - Returns: A response of the type `text/event-stream`.
    public static func events(
        _ events: [ServerSentEvent], every interval: Duration = .zero, status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        chunks(
            events.map(\.text), every: interval, contentType: "text/event-stream", status: status,
            headers: headers
        ).with(\.isOpenEnded, true)
    }

    /// Returns a response with server-sent events that have only data.
    ///
    /// ```swift
    /// .events([#"{"delta": "Hel"}"#, #"{"delta": "lo"}"#], until: "[DONE]")
    /// ```
    ///
    /// - Parameters:
    ///   - data: The data of each event, in order.
    ///   - terminator: The data of an additional event at the end, or nil to send no such event.
    ///   - interval: The time between two events, on the network's clock. A negative interval is a
    ///     configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers. A name may occur several times.
    /// - Returns: A response of the type `text/event-stream`.
    @_disfavoredOverload
    public static func events(
        _ data: [String], until terminator: String? = nil, every interval: Duration = .zero,
        status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        events(
            (data + [terminator].compactMap(\.self)).map { ServerSentEvent(data: $0) },
            every: interval, status: status, headers: headers)
    }

    /// Returns a response whose body a closure sends, piece by piece.
    ///
    /// ```swift
    /// network.stub(
    ///     .get("/ticks"),
    ///     .stream(contentType: "text/event-stream") { writer in
    ///         for number in 1...3 {
    ///             try await writer.send("data: \(number)\n\n")
    ///             try await clock.sleep(for: .seconds(1))
    ///         }
    ///     })
    /// ```
    ///
    /// The client receives the headers first, without a `Content-Length`. Then the closure runs,
    /// once for each request, in the same way as a handler: see ``MockNetwork/requestHandler``. The
    /// body ends when the closure returns. If the closure throws an error, the body fails with that
    /// error. Over a socket, the server closes the connection instead. When the request is
    /// cancelled or times out, the closure's task is cancelled.
    ///
    /// - Parameters:
    ///   - contentType: The `Content-Type` of the body.
    ///   - status: The status of the response, in `100...599`. The closure does not run for a
    ///     redirect, for a `HEAD`, or for a status that allows no body.
    ///   - headers: More headers. A name may occur several times.
    ///   - write: The closure that sends the body.
    /// - Returns: The response.
    public static func stream(
        contentType: String = "text/event-stream", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        _ write: @escaping @Sendable (StreamWriter) async throws -> Void
    ) -> MockResponse {
        data(Data(), contentType: contentType, status: status, headers: headers)
            .with(\.source, .writer(write))
    }

    /// Returns a response whose body the test sends, piece by piece.
    ///
    /// The client receives the headers. Unless the request is cancelled or times out, the body
    /// stays open until you call ``Stub/finish(fileID:line:)`` or ``Stub/fail(with:fileID:line:)``:
    ///
    /// ```swift
    /// let stub = network.stub(.get("/ticks"), .stream())
    /// async let ticks = loadTicks()
    ///
    /// try await stub.send("data: 1\n\n")
    /// try await stub.finish()
    ///
    /// #expect(try await ticks == [1])
    /// ```
    ///
    /// - Parameters:
    ///   - contentType: The `Content-Type` of the body.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers. A name may occur several times.
    /// - Returns: The response.
    public static func stream(
        contentType: String = "text/event-stream", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        data(Data(), contentType: contentType, status: status, headers: headers)
            .with(\.source, .test)
    }
}

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
