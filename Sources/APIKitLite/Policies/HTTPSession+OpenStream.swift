import Foundation

extension HTTPSession {
    /// Opens a stream on this session with a function that exchanges requests.
    ///
    /// A policy that needs only the headers of a response uses its own `exchange` for streams, too:
    /// see ``SessionPolicy``. The function gets a session whose ``exchange(_:)`` opens a stream and
    /// returns the response with an empty body.
    ///
    /// If the function sends several requests, each one ends the stream before it, so that a chain
    /// with a limit needs one place at a time.
    ///
    /// - Parameter exchange: Sends one request or several over the session that it receives, and
    ///   returns the final response.
    /// - Returns: The response that the function returned. The body is that of the last response
    ///   that the function received, or the data that it returned if that is not empty.
    /// - Throws: The error of the function. A stream that was opened before ends.
    public nonisolated(nonsending) func openStream(
        _ exchange: (any HTTPSession) async throws -> (Data, HTTPURLResponse)
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let heads = StreamHeads(of: self)
        let (data, response) = try await exchange(heads)
        let body = heads.takeBody()
        return (data.isEmpty ? body ?? HTTPBody(data) : HTTPBody(data), response)
    }
}

extension HTTPSession {
    /// Ends the stream that was opened last, if this is the session of ``openStream(_:)``.
    ///
    /// A policy calls it before it waits for something else: the stream may have a place in a limit.
    ///
    /// - Returns: Whether a stream was opened, so that the body of its response cannot be read.
    @discardableResult
    func endOpenedStream() -> Bool {
        (self as? StreamHeads)?.endBody() ?? false
    }
}

/// A session that returns only the headers of each response, and keeps the body of the last one.
private final class StreamHeads: HTTPSession {
    private let session: any HTTPSession
    private let body = Locked<HTTPBody?>(nil)

    init(of session: any HTTPSession) {
        self.session = session
    }

    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        endBody()
        let (body, response) = try await session.stream(request)
        keep(body)
        return (Data(), response)
    }

    /// Ends the transfer of the last response, and returns whether there is one.
    @discardableResult
    func endBody() -> Bool {
        let body = body.withLock { $0 }
        body?.end()
        return body != nil
    }

    func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await session.stream(request)
    }

    func loadDidFail(_ error: APIRequestError) {
        session.loadDidFail(error)
    }

    /// Removes and returns the body of the last response.
    func takeBody() -> HTTPBody? {
        keep(nil)
    }

    /// Keeps a body, and returns the previous one. Its transfer ends when it is released, which
    /// must not happen under the lock.
    @discardableResult
    private func keep(_ body: HTTPBody?) -> HTTPBody? {
        self.body.withLock { current in
            defer { current = body }
            return current
        }
    }
}
