import Foundation

/// One task of a `URLSession` and its delegate, which passes the body on in pieces.
///
/// Redirects and challenges are decided as for an exchange.
final class URLSessionStream: URLSessionExchange, URLSessionDataDelegate,
    @unchecked Sendable  // The variables are used on the delegate queue, which is serial.
{
    private enum Head: Sendable {
        // Not an `HTTPBody`: the promise keeps its result, and the transfer must end with the body.
        case answer(BodyBuffer, HTTPURLResponse)
        case other(TaskOutcome)
    }

    private let opened = Promise<Head>()
    private lazy var buffer = BodyBuffer(limit: options.bufferLimit ?? SendOptions.standardLimit)
    /// The last response, if another one may follow it.
    private var undecided: HTTPURLResponse?
    /// Made before the task starts.
    private lazy var flow = StreamFlowControl(waitsForReader: options.context.waitsForReader)

    private weak var owner: URLSession?
    private var didComplete: @Sendable () -> Void = {}

    /// Starts a task that streams for the app's session. `sent` has what Foundation needs.
    func start(_ sent: URLRequest, on owner: URLSession) {
        self.owner = owner
        let (task, didComplete) = owner.streamingTask(with: sent)
        self.didComplete = didComplete
        flow.control(task)
        refuseRepetitionAtResume(of: task)
        start(task)
    }

    /// What the reader of the body does. Before the headers, it is busy.
    fileprivate var readerState: ReaderState {
        guard case .success(.answer(let buffer, _))? = opened.result else { return .busy }
        return buffer.readerState
    }

    override func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)? {
        owner?.delegate as? any URLSessionTaskDelegate
    }

    /// Suspends until the headers or a redirect have been received.
    ///
    /// - Throws: The error of the task, or `URLError.cancelled` as soon as the caller is cancelled.
    func head() async throws -> TaskOutcome {
        // A cancelled task completes on the delegate queue, which may wait for a slow reader.
        switch try await opened.value(ifCancelled: .failure(URLError(.cancelled))) {
        case .answer(let buffer, let response): .answer(body(of: buffer), response)
        case .other(let outcome): outcome
        }
    }

    /// Returns the body of what arrives in a buffer. Its reader lets a delayed sender continue.
    private func body(of buffer: BodyBuffer) -> HTTPBody {
        HTTPBody(
            next: { [flow] in
                defer { flow.didTake(from: buffer) }
                return try await buffer.next()
            },
            end: { [flow] error in
                defer { flow.didTake(from: buffer) }
                return buffer.end(throwing: error)
            })
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        // It may be the response of a redirect that is followed.
        guard wantsResponse else { return }
        guard let http = response as? HTTPURLResponse else {
            fail(TransportError.notHTTP(response.url))
            return cancelSoon()
        }
        // Foundation on Linux delivers interim responses, too (RFC 9110, section 15.2).
        guard http.statusCode >= 200 else { return }
        if undecided != nil { buffer = BodyBuffer(limit: buffer.limit) }
        // After the proxy has opened the tunnel, all responses are those of the server.
        let isTunneled = undecided.map { 200..<300 ~= $0.statusCode } ?? false
        let mayBeOfProxy = !isTunneled && session.mayBeOfProxy(http, to: options)
        undecided = http.mayBeFollowed || mayBeOfProxy ? http : nil
        // On Apple platforms, each part of `multipart/x-mixed-replace` has a response of its own.
        if undecided == nil, !open(http), http.mimeType != "multipart/x-mixed-replace" {
            // The caller has a response already, and this body is not the body of that one.
            decide(.failure(URLError(.badServerResponse)))
            cancelSoon()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard wantsResponse else { return }
        // Foundation passes on no body of a proxy.
        if let http = undecided, !http.mayBeFollowed {
            undecided = nil
            open(http)
        }
        buffer.append(data)
        // An undecided response has no reader that could be late.
        if undecided == nil { flow.didAppend(to: buffer) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        didComplete()
        switch outcome(nil, task.response, error) {
        case .success(.answer(_, let http)):
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

    /// Gives the response to the caller, with the body that follows. Returns false if the caller has a
    /// response or an error already.
    @discardableResult
    private func open(_ http: HTTPURLResponse) -> Bool {
        owner?.storeCookies(of: http, to: request, replacing: cookies)
        guard opened.resolve(with: .success(.answer(buffer, http))) else { return false }
        buffer.onCancel { [weak self] in self?.cancelSoon() }
        return true
    }

    /// Cancels the task a moment later: the call waits for Foundation's queue, which may wait for
    /// the delegate queue.
    private func cancelSoon() {
        DispatchQueue.global().async { [self] in cancel() }
    }

    private func fail(_ error: any Error) {
        if !opened.resolve(with: .failure(error)) { buffer.finish(throwing: error) }
    }
}

extension URLSessionTask {
    /// The stream of the task: its delegate.
    var stream: URLSessionStream? { delegate as? URLSessionStream }

    /// Whether the task belongs to an exchange or a stream, which follow redirects themselves.
    package var isOfExchange: Bool { delegate is URLSessionExchange }

    /// A function that returns what the reader of the task's body does; nil if the task is not that
    /// of a stream.
    package var readerState: (@Sendable () -> ReaderState)? {
        guard let stream else { return nil }
        return { [weak stream] in stream?.readerState ?? .left }
    }
}
