import APIKitLite
import Foundation

// A test that sends the body of a response itself.
extension Stub {
    /// Sends text to the open streams of the stub, and suspends until their clients have it.
    ///
    /// The response of the stub is a ``MockResponse/stream(contentType:status:headers:)`` without a
    /// closure. Its stream is open from the arrival of the request to ``finish(fileID:line:)``. If
    /// none is open, waits for the next request, even if the client of the last one has left: it may
    /// connect again. What it means that a client has a piece is described at ``StreamWriter``.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - text: The text of one piece, sent as UTF-8. If it is empty, nothing is sent.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: `URLError.networkConnectionLost` if a client leaves before it has the piece;
    ///   ``MockError`` if the stub has no such response; `CancellationError`.
    public func send(
        _ text: String, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        try await send(Data(text.utf8), fileID: fileID, line: line)
    }

    /// Sends a server-sent event to the open streams of the stub, and suspends until their clients
    /// have it, as ``send(_:fileID:line:)-(String,_,_)`` does.
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

    /// Sends bytes to the open streams of the stub, and suspends until their clients have them, as
    /// ``send(_:fileID:line:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - data: The bytes of one piece. If there are none, nothing is sent.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``.
    public func send(
        _ data: Data, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        // To all of them together, so that no client waits for another one.
        var promises: [Promise<Void>] = []
        try await post("send()", "\(fileID):\(line)") {
            let promise = Promise<Void>()
            promises.append(promise)
            return .piece(data, promise)
        } then: {
            for promise in promises {
                try await promise.value(ifCancelled: .failure(CancellationError()))
            }
        }
    }

    /// Ends the open streams of the stub, after the pieces that were sent.
    ///
    /// If none is open, waits for the next one, as ``send(_:fileID:line:)-(String,_,_)`` does. If
    /// the client of the last one has left, does nothing: a client may leave by itself at the last
    /// element, such as `[DONE]`.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: ``MockError`` if the stub has no such response; `CancellationError`.
    public func finish(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        try await post("finish()", "\(fileID):\(line)", isLast: true, isForNext: false) { .end }
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
    /// - Throws: ``MockError`` if the stub has no such response; `CancellationError`.
    public func fail(
        with code: URLError.Code = .networkConnectionLost, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        try await post("fail()", "\(fileID):\(line)", isLast: true) { .failure(URLError(code)) }
    }

    /// Posts a message for each open stream, and then waits for what comes of it.
    private func post(
        _ call: String, _ sourceLocation: String, isLast: Bool = false, isForNext: Bool = true,
        _ message: () -> StubStreams.Message, then wait: () async throws -> Void = {}
    ) async throws {
        guard mayHaveStream else { throw noStream(call, sourceLocation) }
        try await watch.run("stub.\(call)", sourceLocation) { [self] in
            streamState
        } _: {
            await Result {
                try await streams.post(isLast: isLast, isForNext: isForNext, message)
                try await wait()
            }
        }.get()
    }

    /// Why a call that sends has not returned.
    private var streamState: String {
        let causes = journal.pending(of: self).map(\.cause)
        if causes.contains(.reader) {
            return "the client has the headers and does not read. Read in another task, or write "
                + "`async let sent: Void = stub.send(…)`"
        }
        return causes.isEmpty
            ? "no stream of the stub for \(label) is open"
            : "the stream of the stub for \(label) has not begun"
    }

    /// Whether the stub has, or may make, a response that the test sends.
    private var mayHaveStream: Bool {
        switch source {
        case .closure: false
        case .handler: true
        case .responses(let responses, _):
            responses.contains { if case .test = $0.source { true } else { false } }
        }
    }

    private func noStream(_ call: String, _ sourceLocation: String) -> MockError {
        var answer = "a closure"
        if case .responses(let responses, _) = source { answer = responses[0].description }
        return MockError(
            .noStream,
            """
            stub.\(call) (\(sourceLocation)) needs a stub that answers with .stream(), without a \
            closure. The stub for \(label) answers with \(answer).
            """)
    }
}
