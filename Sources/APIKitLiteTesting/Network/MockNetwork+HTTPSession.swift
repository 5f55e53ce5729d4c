import APIKitLite
import Foundation

extension MockNetwork: HTTPSession {
    /// Responds to a request in the caller's task, without a `URLSession`.
    ///
    /// This function is the fastest way to reach the stubs, and works where no custom `URLProtocol`
    /// works, such as on watchOS. The function follows redirects and stores cookies as a
    /// `URLSession` does. The pieces of a stream arrive as the stub sends them.
    ///
    /// - Parameters:
    ///   - request: The request, which is recorded before this function suspends.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, with the status and headers.
    /// - Throws: The stub's error, or any error thrown by a handler, a real session or the body
    ///   stream of the request. A `URLError` if the task is cancelled, or the request times out, is
    ///   redirected too often or is a `GET` with a body. `TransportError` if the response's body is
    ///   too large. ``MockError`` if nothing responds or the stub is invalid.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        // Most networks have no cookies, and a lookup takes a microsecond.
        let cookies = core.cookies.withLock { $0 }
        let sent = try RequestBody.fill(request.addingCookies(of: cookies), nil)
        if let count = sent.httpBody.map({ Int64($0.count) }) {
            options.context.didSend?(count, count)
        }
        let (record, reply) = core.decide(on: sent, passes: SendContext.passes)
        // Most responses in tests are immediate, so they need no client.
        if case .now(let part) = reply, part.completeHead?.response.isRedirect != true {
            return try send(part, to: record, options)
        }
        return try await DirectClient(core, options, request.canBeSentAgain).load(record, reply)
    }

    /// Records a request, and returns its immediate response.
    private func send(
        _ part: ResponsePart, to record: RecordedRequest, _ options: SendOptions
    ) throws -> (HTTPBody, HTTPURLResponse) {
        let id = core.journal.append(record)
        // The task may have been cancelled after the last check, because matching may call the
        // user's code.
        guard !Task.isCancelled else {
            core.journal.markCancelled(id, at: core.time.now)
            throw URLError(.cancelled)
        }
        guard let response = part.completeHead?.response else {
            throw part.error ?? URLError(.unknown)
        }
        response.storeCookies(in: core.cookieStorage, for: record.request)
        let data = part.body.joined
        guard let limit = options.bufferLimit else {
            return (try HTTPBody(data).limited(by: options), response)
        }
        let body = BodyBuffer(limit: limit)
        body.append(data)
        body.finish()
        return (HTTPBody(body), response)
    }
}
