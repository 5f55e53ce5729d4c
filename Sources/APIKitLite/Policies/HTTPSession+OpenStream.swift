import Foundation

extension HTTPSession {
    /// Opens a stream on this session with a function that exchanges requests.
    ///
    /// A policy that needs only the headers of a response uses its own `exchange` for streams, too:
    /// see ``SessionPolicy``. The function gets a session whose ``exchange(_:)`` opens a stream and
    /// returns the response with an empty body.
    ///
    /// If the function sends several requests, each one ends the stream before it, so that a chain
    /// with a limit needs one place at a time. If that one has no headers yet, its exchange throws
    /// `URLError.cancelled` when they arrive.
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
    /// Ends the stream that was opened last, if this is the session that ``openStream(_:)`` gives to
    /// its function. Does nothing for any other session.
    ///
    /// Call it in a policy, or in a closure of ``intercepting(_:)``, before it waits for something
    /// else than the next request over this session: the stream may have a place in a limit.
    ///
    /// - Returns: Whether a stream was opened, so that the body of its response cannot be read.
    @discardableResult
    public func endOpenedStream() -> Bool {
        (self as? StreamHeads)?.endBody() ?? false
    }
}

/// A session that returns only the headers of each response, and keeps the body of the last one.
private final class StreamHeads: HTTPSession {
    private let session: any HTTPSession
    /// The refresh that this stream is a part of.
    private let scope = RefreshScope.innermost
    private let last = Locked(Opened())

    /// The request that was sent last, and the body of its response. The lock of `last` owns them.
    private struct Opened {
        var number = 0
        var body: HTTPBody?
    }

    init(of session: any HTTPSession) {
        self.session = session
    }

    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        // A policy that was added in the closure refreshes a credential: this is not the stream.
        guard RefreshScope.innermost === scope else { return try await session.exchange(request) }
        endBody()
        let number = last.withLock { last in
            last.number += 1
            return last.number
        }
        let (body, response) = try await session.stream(request)
        guard keep(body, ofRequest: number) else { throw URLError(.cancelled) }
        return (Data(), response)
    }

    /// Ends the transfer of the last response, and returns whether there is one.
    @discardableResult
    func endBody() -> Bool {
        let body = last.withLock { $0.body }
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
        last.withLock { last in
            // A response that comes later has no reader.
            last.number += 1
            defer { last.body = nil }
            return last.body
        }
    }

    /// Keeps a body, unless another request was sent since: after a timeout, an attempt that ignores
    /// its cancellation may still receive a response. Returns whether it does.
    ///
    /// A body that is not kept, and the previous one, end when they are released, which must not
    /// happen under the lock.
    private func keep(_ body: HTTPBody, ofRequest number: Int) -> Bool {
        let (isKept, _) = last.withLock { last -> (Bool, HTTPBody?) in
            guard last.number == number else { return (false, nil) }
            defer { last.body = body }
            return (true, last.body)
        }
        return isKept
    }
}
