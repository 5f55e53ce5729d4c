import APIKitLite
import Foundation

extension NetworkCore {
    /// Runs a whole exchange, with redirects and cookies, for a client without a `URLSession`. The
    /// client's task suspends until the response is complete.
    ///
    /// - Throws: A stub's error, any error thrown by its handler, or a `URLError`.
    func exchange(
        _ first: URLRequest, _ options: SendOptions = .body
    ) async throws -> (Data, HTTPURLResponse) {
        try await followingRedirects(of: first, options) { [self] request in
            // A request that is not sent must not use up a response.
            try Task.checkNotCancelled()
            let (record, reply) = decide(on: request)
            if reply.isImmediate {
                let id = journal.append(record, awaitedBy: nil)
                // Checked again, because matching may call the user's code.
                guard !Task.isCancelled else {
                    journal.markCancelled(id, at: time.now)
                    throw URLError(.cancelled)
                }
                guard case .answer(let answer) = reply else {
                    throw record.error ?? URLError(.unknown)
                }
                CookieJar(self).store(from: answer.head.response, to: request)
                return (answer.body.joined, answer.head.response)
            }
            let collected = Locked(AnswerPart())
            return try await answer(record, reply, for: TaskClient()) { part, promise in
                let all = collected.withLock { collected in
                    collected.append(part)
                    return collected
                }
                // Outside the lock, because it may end the response.
                for receipt in part.receipts { receipt.didTake() }
                if let error = all.error {
                    promise.resolve(with: .failure(error))
                } else if let answer = all.whole {
                    promise.resolve(with: .success((answer.body.joined, answer.head.response)))
                }
            }
        }
    }

    /// Opens a stream, with redirects and cookies, for a client without a `URLSession`.
    ///
    /// - Throws: A stub's error, any error thrown by its handler, or a `URLError`.
    func stream(
        _ first: URLRequest, _ options: SendOptions, buffering limit: Int
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await followingRedirects(of: first, options) { [self] request in
            let body = BodyBuffer(limit: limit)
            let client = TaskClient<HTTPURLResponse>(body: body)
            let (record, reply) = decide(on: request)
            let response = try await answer(record, reply, for: client) { part, head in
                body.receive(part, head: head)
            }
            return (HTTPBody(body), response)
        }
    }

    /// Sends a request, and then each request that a redirect leads to.
    private func followingRedirects<Body>(
        of first: URLRequest, _ options: SendOptions,
        _ send: (URLRequest) async throws -> (Body, HTTPURLResponse)
    ) async throws -> (Body, HTTPURLResponse) {
        let jar = CookieJar(self)
        // Most networks have no cookies, and a lookup takes a microsecond.
        var request = try RequestBody.fill(hasCookieStorage ? jar.applied(to: first) : first, nil)
        if let count = request.httpBody.map({ Int64($0.count) }) {
            options.context.didSend?(count, count)
        }
        for _ in 0...redirectLimit {
            let (body, response) = try await send(request)
            guard let next = try options.context.redirectedRequest(after: response, from: request)
            else {
                return (body, response)
            }
            // As in a `URLSession`, a stream that has been sent cannot be read again.
            guard next.httpBody == nil || first.canBeSentAgain else {
                throw URLError(.requestBodyStreamExhausted)
            }
            request = jar.applied(to: next)
        }
        throw URLError(.httpTooManyRedirects)
    }

    /// Sends a reply, then suspends until the client stops waiting.
    private func answer<Value>(
        _ record: RecordedRequest, _ reply: Reply, for client: TaskClient<Value>,
        receive: @escaping @Sendable (AnswerPart, Promise<Value>) -> Void
    ) async throws -> Value {
        // Installed before the request is recorded, because the test may call `verify()` as soon as
        // it has cancelled the task.
        try await withTaskCancellationHandler {
            let jar = CookieJar(self)
            let handle = replies.give(reply, to: record, for: client) { part in
                // When the headers arrive, as a `URLSession` does, because the body may take a long
                // time.
                jar.store(from: part.head?.response, to: record.request)
                receive(part, client.promise)
            }
            client.keep(handle)
            let result = await Result { try await client.promise.value() }
            guard Task.isCancelled else { return try result.get() }
            // The cancellation may have come before `keep(_:)` or after the response.
            handle.recordCancellation()
            handle.cancelWork?()
            throw URLError(.cancelled)
        } onCancel: {
            client.cancel()
        }
    }
}

extension BodyBuffer {
    /// Adds a part of a response. The headers, or an error before them, resolve the promise.
    fileprivate func receive(_ part: AnswerPart, head: Promise<HTTPURLResponse>) {
        if let whole = part.whole {
            // Added as one piece, which may exceed the buffer's limit because nobody has read any
            // of it.
            append(whole.body.joined)
            finish()
            head.resolve(with: .success(whole.head.response))
            return
        }
        if let response = part.head?.response { head.resolve(with: .success(response)) }
        for piece in part.pieces {
            // First, because the reader may leave as soon as it has received the piece.
            piece.receipt?.didTake()
            append(piece.data)
        }
        guard part.isLast else { return }
        guard let error = part.error else { return finish() }
        if !head.resolve(with: .failure(error)) { finish(throwing: error) }
    }
}

/// A client whose task waits for the response, or for the headers and then for pieces of a body.
///
/// `handle` has its own lock.
private final class TaskClient<Value: Sendable>: Client {
    let promise = Promise<Value>()
    /// The body that follows the headers; nil for a client waiting for the whole response.
    let body: BodyBuffer?
    private let handle = Locked<RequestCancellation?>(nil)

    init(body: BodyBuffer? = nil) {
        self.body = body
    }

    var isWaiting: Bool { !promise.hasEnded || body?.hasEnded == false }
    var readerState: ReaderState? { body?.readerState }
    var sessionTimeout: TimeInterval? { nil }

    func keep(_ handle: RequestCancellation) {
        self.handle.withLock { $0 = handle }
        body?.onCancel { handle.cancel() }
    }

    /// Ends the wait with `URLError.cancelled`, and cancels the request.
    func cancel() {
        let handle = handle.withLock { $0 }
        // Recorded before the client's task resumes and sends its next request.
        handle?.recordCancellation()
        if !promise.resolve(with: .failure(URLError(.cancelled))) {
            // The headers have been received, and another task may be reading the body.
            body?.end(throwing: URLError(.cancelled))
        }
        handle?.cancelWork?()
    }
}
