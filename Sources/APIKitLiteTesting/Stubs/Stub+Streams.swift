import APIKitLite
import Foundation

// The calls with which a test sends the body of a response.
extension Stub {
    /// Sends text to the stub's open streams, and suspends until their clients have received it.
    ///
    /// A response of the stub must be a ``MockResponse/stream(contentType:status:headers:)``
    /// without a closure. Its stream is open from the request's arrival until you call `finish` or
    /// `fail`, or until the client leaves. If no stream is open, the call waits for the next
    /// request, even if the last client has left, because that client may connect again.
    /// ``StreamWriter`` describes when a client has received a piece.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - text: The text of one piece, sent as UTF-8. If the text is empty, nothing is sent.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: `URLError.networkConnectionLost` if a client leaves before it receives the piece;
    ///   ``MockError`` if the stub has no response whose body the test sends; `CancellationError`.
    public func send(
        _ text: String, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        try await send(Data(text.utf8), fileID: fileID, line: line)
    }

    /// Sends a server-sent event to the stub's open streams, and suspends until their clients have
    /// received it, as ``send(_:fileID:line:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - event: The event, which is one piece.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``.
    public func send(
        _ event: ServerSentEvent, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        try await send(event.text, fileID: fileID, line: line)
    }

    /// Sends bytes to the stub's open streams, and suspends until their clients have received them,
    /// as ``send(_:fileID:line:)-(String,_,_)`` does.
    ///
    /// - Parameters:
    ///   - data: The bytes of one piece. If there are no bytes, nothing is sent.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: The same errors as ``send(_:fileID:line:)-(String,_,_)``.
    public func send(
        _ data: Data, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        // The data goes to all streams before this call waits, so that no client waits for another
        // client.
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

    /// Ends the streams to which the last ``send(_:fileID:line:)-(String,_,_)`` sent, after the
    /// pieces already sent.
    ///
    /// If the clients of those streams have left, does nothing, because a client may leave after
    /// the last element, such as `[DONE]`. A stream that has opened since the last `send` stays
    /// open, because it belongs to the next call.
    ///
    /// If you have not called `send` since the last `finish` or `fail`, ends the stub's open
    /// streams. If no stream is open, waits for the next stream and ends it, but does nothing if a
    /// client has left since the last `finish` or `fail`.
    ///
    /// - Parameters:
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: ``MockError`` if the stub has no response whose body the test sends;
    ///   `CancellationError`.
    public func finish(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        try await post("finish()", "\(fileID):\(line)", isLast: true, isForNext: false) { .end }
    }

    /// Ends the stub's open streams with an error, after the pieces already sent.
    ///
    /// If no stream is open, waits for the next stream, as ``send(_:fileID:line:)-(String,_,_)``
    /// does. Over a socket, the server closes the connection, and the client reports its own error.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: ``MockError`` if the stub has no response whose body the test sends;
    ///   `CancellationError`.
    public func fail(
        with code: URLError.Code = .networkConnectionLost, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        try await post("fail()", "\(fileID):\(line)", isLast: true) { .failure(URLError(code)) }
    }

    /// Posts a message to each stream that `openStreams` returns, and then calls `wait`.
    private func post(
        _ call: String, _ sourceLocation: String, isLast: Bool = false, isForNext: Bool = true,
        _ message: () -> OpenStream.Message, then wait: () async throws -> Void = {}
    ) async throws {
        try checkForStream(call, sourceLocation)
        try await watch.run("stub.\(call)", sourceLocation) { [self] in
            streamState
        } _: {
            for stream in try await openStreams(isLast: isLast, isForNext: isForNext) {
                stream.post(message())
            }
            try await wait()
        }
    }

    /// Returns the streams for a call. If no stream is open, suspends until a stream opens. If
    /// `isForNext` is false, does not suspend if `send` was called or a client has left since the
    /// last `finish` or `fail`.
    ///
    /// - Throws: `CancellationError`.
    private func openStreams(isLast: Bool, isForNext: Bool) async throws -> [OpenStream] {
        while true {
            try Task.checkCancellation()
            let found = streams.withLock { $0.streams(isLast: isLast, isForNext: isForNext) }
            if let found { return found }
            await streams.wait { !$0.open.isEmpty || !isForNext && $0.hasClientLeft }
        }
    }

    /// The reason why a call of `send`, `finish` or `fail` has not returned.
    private var streamState: String {
        let reasons = journal.pending(ofStub: number).map(\.reason)
        if reasons.contains(.reader) {
            return "the client has the headers and does not read. Read in another task, or write "
                + "`async let sent: Void = stub.send(…)`"
        }
        return reasons.isEmpty
            ? "no stream of the stub for \(label) is open"
            : "the stream of the stub for \(label) has not begun"
    }

    /// Throws an error if no response of the stub has a body that the test sends. A stub with a
    /// handler passes this check, because the handler may return such a response.
    private func checkForStream(_ call: String, _ sourceLocation: String) throws(MockError) {
        guard case .responses(let responses, _) = source else { return }
        let hasStream = responses.contains { if case .test = $0.source { true } else { false } }
        if hasStream { return }
        throw MockError(
            """
            stub.\(call) (\(sourceLocation)) needs a stub that responds with .stream(), without a \
            closure. The stub for \(label) responds with \(responses[0]).
            """)
    }
}
