import APIKitLite
import Foundation

// A test that sends the body of a response itself.
extension Stub {
    /// Sends text to the open streams of the stub, and suspends until their clients have taken it.
    ///
    /// The response of the stub is a ``MockResponse/stream(contentType:status:headers:)`` without a
    /// closure. If none of its streams is open, waits for the next one. What it means that a client
    /// has taken a piece is described at ``StreamWriter``.
    ///
    /// If nothing happens for five seconds, the wait for a stream is reported to standard error.
    ///
    /// - Parameters:
    ///   - text: The text of one piece, sent as UTF-8. If it is empty, nothing is sent.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: `URLError.networkConnectionLost` if a client has gone before it took the piece, or
    ///   if no stream is open because the client of the last one has gone; ``MockError`` if the stub
    ///   has no such response; `CancellationError`.
    public func send(
        _ text: String, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        try await send(Data(text.utf8), fileID: fileID, line: line)
    }

    /// Sends a server-sent event to the open streams of the stub, and suspends until their clients
    /// have taken it, as ``send(_:fileID:line:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - event: The event, which is one piece.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``.
    public func send(
        _ event: ServerSentEvent, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        try await send(event.text, fileID: fileID, line: line)
    }

    /// Sends bytes to the open streams of the stub, and suspends until their clients have taken
    /// them, as ``send(_:fileID:line:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - data: The bytes of one piece. If there are none, nothing is sent.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``.
    public func send(
        _ data: Data, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        let streams = try await openStreams(for: "send()", at: "\(fileID):\(line)")
        // To all at once, so that no client waits for another one.
        let pieces = streams.map { stream in (stream, Result { try stream.post(data) }) }
        for (stream, piece) in pieces { try await stream.waitUntilTaken(piece.get()) }
    }

    /// Ends the open streams of the stub, after the pieces that were sent.
    ///
    /// If none is open, waits for the next one, as ``send(_:fileID:line:)-(String,_,_)`` does. If
    /// none is open because the client of the last one has gone, does nothing: a client may leave
    /// by itself at the last element, such as `[DONE]`.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: ``MockError`` if the stub has no such response; `CancellationError`.
    public func finish(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        do {
            let streams = try await openStreams(for: "finish()", at: "\(fileID):\(line)")
            for stream in streams { stream.finish() }
        } catch URLError.networkConnectionLost {
            // The client has gone.
        }
    }

    /// Ends the open streams of the stub with an error, after the pieces that were sent.
    ///
    /// If none is open, waits for the next one, as ``send(_:fileID:line:)-(String,_,_)`` does. Over
    /// a socket, the server closes the connection, and the client reports an error of its own.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``, if no stream is open.
    public func fail(
        with code: URLError.Code = .networkConnectionLost, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let streams = try await openStreams(for: "fail()", at: "\(fileID):\(line)")
        for stream in streams { stream.finish(throwing: URLError(code)) }
    }

    /// Returns the open streams. If there are none, suspends until one opens.
    private func openStreams(
        for call: String, at sourceLocation: String
    ) async throws -> [ResponseStream] {
        try Task.checkCancellation()
        guard mayHaveFeed else { throw noStream(call, sourceLocation) }
        return try await watch.run("stub.\(call)", sourceLocation) { [self] in
            "no stream of the stub for \(label) is open"
        } _: {
            await Result { try await stubStreams.open(gate) }
        }.get()
    }

    /// Whether the stub has, or may make, a response that the test sends.
    private var mayHaveFeed: Bool {
        switch source {
        case .closure: false
        case .handler: true
        case .responses(let responses, _):
            responses.contains { response in
                if case .test = response.source { true } else { false }
            }
        }
    }

    private func noStream(_ call: String, _ sourceLocation: String) -> MockError {
        MockError(
            .noStream,
            """
            stub.\(call) (\(sourceLocation)) failed for the stub for \(label): It has no response \
            of the kind .stream() without a closure.
            """)
    }
}
