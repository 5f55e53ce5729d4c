import APIKitLite
import Foundation

extension NetworkCore {
    /// Runs a whole exchange, with redirects and cookies, for a client without a `URLSession`. The
    /// client's task waits for the answer.
    ///
    /// - Throws: The error of a stub or of its handler, or a `URLError`.
    func exchange(
        _ first: URLRequest, _ options: SendOptions = .body
    ) async throws -> Answer {
        try await followingRedirects(of: first, options, response: \.response) {
            [self] request in
            // A request that is not sent takes no response of a stub.
            try Task.checkNotCancelled()
            let decision = decide(on: request)
            if case .now(let result) = decision.resolution {
                let id = journal.append(decision.record, awaitedBy: nil)
                // Checked again, because matching runs code of the user.
                guard !Task.isCancelled else {
                    journal.markCancelled(id, at: time.now)
                    throw URLError(.cancelled)
                }
                return try result.get()
            }
            let accumulator = Locked(ResponseAccumulator())
            return try await answer(decision, for: TaskClient()) { event, waiter in
                let result = accumulator.withLock { $0.add(event) }
                // The client takes each piece at once. Not under the lock: it may end the answer.
                if case .piece(let piece) = event { piece.didTake() }
                if let result { waiter.end(with: result) }
            }
        }
    }

    /// Opens a stream, with redirects and cookies, for a client without a `URLSession`.
    ///
    /// - Throws: The error of a stub or of its handler, or a `URLError`.
    func stream(
        _ first: URLRequest, _ options: SendOptions, buffering limit: Int
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let opened = try await followingRedirects(of: first, options, response: \.response) {
            [self] request in
            let body = BodyBuffer(limit: limit)
            let client = TaskClient<HTTPURLResponse>(body: body)
            let decision = decide(on: request)
            let response = try await answer(decision, for: client) { event, head in
                body.receive(event, head: head)
            }
            return (body: HTTPBody(body), response: response)
        }
        return (opened.body, opened.response)
    }

    /// Sends a request, and then each request that a redirect leads to.
    private func followingRedirects<Result>(
        of first: URLRequest, _ options: SendOptions, response: (Result) -> HTTPURLResponse,
        _ send: (URLRequest) async throws -> Result
    ) async throws -> Result {
        let jar = CookieJar(self)
        // Most networks have no cookies, and a lookup costs a microsecond.
        var request = try RequestBody.fill(hasCookieStorage ? jar.applied(to: first) : first, nil)
        options.didSend?(request.httpBody?.count ?? 0)
        for _ in 0...redirectLimit {
            let result = try await send(request)
            jar.store(from: response(result), to: request)
            guard let next = redirectedRequest(after: response(result), from: request) else {
                return result
            }
            try options.checkRedirect(from: first.url, to: next.url)
            request = jar.applied(to: next)
        }
        throw URLError(.httpTooManyRedirects)
    }

    /// Carries out a decision, and suspends until the client's wait has ended.
    private func answer<Value>(
        _ decision: Decision, for client: TaskClient<Value>,
        receive: @escaping @Sendable (ResponseEvent, Waiter<Value>) -> Void
    ) async throws -> Value {
        // Installed before the request is recorded: the test may call `verify()` as soon as it has
        // cancelled the task.
        try await withTaskCancellationHandler {
            let handle = carryOut(decision, for: client) { event in
                receive(event, client.waiter)
            }
            client.keep(handle)
            let result = await Result { try await client.waiter.value() }
            guard Task.isCancelled else { return try result.get() }
            // The cancellation may have come before `keep(_:)` or after the answer.
            handle.recordCancellation()
            handle.cancelWork?()
            throw URLError(.cancelled)
        } onCancel: {
            client.cancel()
        }
    }
}

extension BodyBuffer {
    /// Adds an event of a response. The headers, or an error before them, end the wait for them.
    fileprivate func receive(_ event: ResponseEvent, head: Waiter<HTTPURLResponse>) {
        switch event {
        case .answer(let answer):
            // As one piece, which may be larger than the limit: nobody can have read a part of it.
            append(answer.body)
            finish()
            head.end(with: .success(answer.response))
        case .head(let answer): head.end(with: .success(answer.response))
        case .piece(let piece) where piece.isAwaited:
            append(piece.data) { [weak self] in
                // Also called when the reader has left. Then the request is cancelled.
                if self?.isCancelled == false { piece.didTake() }
            }
        case .piece(let piece): append(piece.data)
        case .end: finish()
        case .failure(let error): fail(error, head)
        case .cutHead: fail(URLError(.networkConnectionLost), head)
        }
    }

    private func fail(_ error: any Error, _ head: Waiter<HTTPURLResponse>) {
        if !head.end(with: .failure(error)) { finish(throwing: error) }
    }
}
