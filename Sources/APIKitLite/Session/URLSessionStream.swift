import Foundation

/// One task of a `URLSession`, and the task's delegate, which receives the body in pieces. The
/// delegate passes the pieces on, or collects a whole body of limited size.
///
/// Redirects and challenges are handled as in `URLSessionExchange`.
final class URLSessionStream: URLSessionExchange, URLSessionDataDelegate,
    @unchecked Sendable  // The variables are used on the delegate queue, which is serial.
{
    private enum Head: Sendable {
        // The first value is a buffer instead of an `HTTPBody`, because the promise retains its
        // result, and the transfer must end when the body is released.
        case response(BodyBuffer, HTTPURLResponse)
        case other(TaskOutcome)
    }

    private let opened = Promise<Head>()
    /// The body so far, if the whole response is awaited.
    private var collected = Data()
    private lazy var buffer = BodyBuffer(
        limit: options.bufferLimit ?? SendOptions.standardLimit, didTake: flow.didTake)
    /// The latest response, if another response may follow.
    private var undecided: HTTPURLResponse?
    /// The flow control, which is created before the task starts.
    private lazy var flow = StreamFlowControl(waitsForReader: options.context.waitsForReader)

    private var didComplete: @Sendable () -> Void = {}

    /// Sends the request. Throws `URLError.cancelled` as soon as the caller's task is cancelled.
    override func outcome(
        sending sent: URLRequest, over session: URLSession
    ) async throws -> TaskOutcome {
        callFoundation { [self] in
            do { try session.prepareForTask(isOverConnection: isOverConnection) } catch {
                return fail(error)
            }
            let (task, didComplete) = session.streamingTask(with: sent, for: self)
            self.didComplete = didComplete
            if !isWhole { flow.control(task) }
            refuseRepetitionAtResume(of: task)
            start(task)
        }
        return try await head()
    }

    /// Whether the whole response is awaited.
    var isWhole: Bool { options.bufferLimit == nil }

    /// The body and the response that the caller has received, if any.
    var received: (buffer: BodyBuffer, response: HTTPURLResponse)? {
        guard case .success(.response(let buffer, let http))? = opened.result else { return nil }
        return (buffer, http)
    }

    /// The state of the body's reader, which is busy until the caller receives the response.
    fileprivate var readerState: ReaderState { received?.buffer.readerState ?? .busy }

    func head() async throws -> TaskOutcome {
        // The caller does not wait until a cancelled task completes on the delegate queue, because
        // that queue may be waiting for a slow reader.
        switch try await opened.value(ifCancelled: .failure(URLError(.cancelled))) {
        case .response(let buffer, let response): return .response(HTTPBody(buffer), response)
        case .other(let outcome): return outcome
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        // The response may be a redirect that is followed.
        guard wantsResponse else { return }
        // A challenge may be followed by a second response, so the bytes of the first response are
        // discarded.
        if isWhole {
            collected = Data()
            return
        }
        guard let http = response as? HTTPURLResponse else {
            fail(TransportError.notHTTP(response.url))
            return cancel()
        }
        // Foundation on Linux also delivers interim responses (RFC 9110, section 15.2).
        guard http.statusCode >= 200 else { return }
        if undecided != nil { buffer = BodyBuffer(limit: buffer.limit, didTake: flow.didTake) }
        // Once the proxy has opened the tunnel, all responses are from the server.
        let isTunneled = undecided.map { 200..<300 ~= $0.statusCode } ?? false
        let mayBeOfProxy = !isTunneled && mayBeOfProxy(http)
        undecided = http.mayBeFollowed || mayBeOfProxy ? http : nil
        // On Apple platforms, each part of a `multipart/x-mixed-replace` body has its own response.
        if undecided == nil, !open(http),
            received?.response.mimeType != "multipart/x-mixed-replace"
        {
            // The caller already has a response, and the body that follows does not belong to that
            // response.
            decide(.failure(URLError(.badServerResponse)))
            cancel()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard wantsResponse else { return }
        if isWhole { return collect(data) }
        // Foundation never delivers a proxy's body.
        if let http = undecided, !http.mayBeFollowed {
            undecided = nil
            open(http)
        }
        buffer.append(data)
        // An undecided response has no reader yet.
        if undecided == nil { flow.didAppend(to: buffer) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let outcome = outcome(collected, task.response, error)
        // Cancels the placeholder, and the placeholder cancels this exchange, which is over by now.
        didComplete()
        switch outcome {
        case .success(.response(_, let http)) where !isWhole:
            open(http)
            buffer.finish()
        case .success(let outcome):
            if !opened.resolve(with: .success(.other(outcome))) {
                buffer.finish(throwing: URLError(.badServerResponse))
            }
        case .failure(let error):
            fail(error)
        }
    }

    private func collect(_ piece: Data) {
        if refusesBody(of: collected.count + piece.count) {
            collected = Data()
            cancel()
        } else {
            collected.append(piece)
        }
    }

    /// Passes the response to the caller, with the body that follows. Returns false if the caller
    /// already has a response or an error.
    @discardableResult
    private func open(_ http: HTTPURLResponse) -> Bool {
        storeCookies(of: http)
        guard opened.resolve(with: .success(.response(buffer, http))) else { return false }
        buffer.onCancel { [weak self] in self?.cancel() }
        return true
    }

    private func fail(_ error: any Error) {
        if !opened.resolve(with: .failure(error)) { buffer.finish(throwing: error) }
    }
}

extension URLSessionTask {
    /// The task's delegate, if it is a stream.
    var stream: URLSessionStream? { delegate as? URLSessionStream }

    /// How many mocks have passed the task's request on, and a function that returns the state of
    /// the body's reader, which is nil if the task does not stream. Nil if the task belongs to
    /// neither an exchange nor a stream. Only such a task can follow a redirect.
    package var exchange: (passes: Int, readerState: (@Sendable () -> ReaderState)?)? {
        guard let exchange = delegate as? URLSessionExchange else { return nil }
        guard let stream, !stream.isWhole else { return (exchange.passes, nil) }
        return (exchange.passes, { [weak stream] in stream?.readerState ?? .left })
    }
}
