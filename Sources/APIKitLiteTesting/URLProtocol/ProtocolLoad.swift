import APIKitLite
import Foundation

/// The work of one `URLProtocol` object: it requests the answer, follows redirects, stores cookies
/// and delivers the result. It begins when it is created.
final class ProtocolLoad: Client, @unchecked Sendable {
    // Safe: `task` is set once, in `init`; the constants are Sendable.

    /// How far the load is.
    private struct Progress {
        var isCancelled = false
        /// Cancels the current request.
        var handle: CancellationHandle?
        /// How many redirects were followed.
        var redirects = 0
    }

    private let responder: any Responder
    private let delivery: Delivery
    private let progress = Locked(Progress())
    private weak var task: URLSessionTask?
    private let reader: (@Sendable () -> ReaderState)?

    /// Whether the client still waits for the answer. The reader of a stream may have left a moment
    /// before its task is cancelled.
    var isWaiting: Bool { task?.state == .running && readerState != .left }
    var readerState: ReaderState? { reader?() }
    /// The request timeout of the session in seconds; `nil` where the session is not known.
    var sessionTimeout: TimeInterval? { task.sessionTimeout }

    /// Requests the answer, unless the task was cancelled before.
    init(_ urlProtocol: MockURLProtocol) {
        responder = type(of: urlProtocol).responder
        delivery = Delivery(to: urlProtocol)
        task = urlProtocol.task
        reader = task?.readerState
        if task?.state != .canceling { begin(urlProtocol.request) }
    }

    private func begin(_ request: URLRequest) {
        if let failure = MockError.unsupported(task) { return finish(.failure(failure)) }
        guard responder.matchesWithUserCode || RequestBody.isSlow(request, task) else {
            return ask(for: task.requestAsSent(request, responder))
        }
        // Inside `resume()`, the task-locals of the client can be read here, but not on the thread.
        // (Setting one here could wait for a cancellation that waits for the loading thread.)
        let route = PassthroughRoute.current
        // The loading thread must not run the code of the user, and reading from a stream may block
        // until its writer continues.
        Thread.detachNewThread { [self] in
            PassthroughRoute.$current.withValue(route) {
                do {
                    ask(for: task.requestAsSent(try RequestBody.fill(request, task), responder))
                } catch {
                    finish(.failure(error))
                }
            }
        }
    }

    /// Delivers the answer as soon as it is there. Call it on the loading thread.
    func start() {
        delivery.start()
    }

    /// Pauses the delivery if the task is suspended; otherwise ends it, and cancels the request.
    ///
    /// Call it on the loading thread.
    func stop() {
        if task?.state == .suspended { return delivery.pause() }
        if task?.isAboutToRestart == true { return }
        guard delivery.end() else { return }
        let handle = progress.withLock { progress in
            progress.isCancelled = true
            return progress.handle
        }
        handle?.cancel()
    }

    /// Sends one request to the responder.
    private func ask(for request: URLRequest) {
        let (redirects, isLate) = progress.withLock { ($0.redirects, $0.isCancelled) }
        // The task may have been cancelled while the body was read or a delegate was asked.
        if isLate { return }
        let handle = responder.load(request, for: self) { [self] event in
            receive(event, to: request)
        }
        let isCancelled = progress.withLock { progress in
            // If the answer came immediately, the request after a redirect may have been sent
            // already.
            guard progress.redirects == redirects else { return false }
            progress.handle = handle
            return progress.isCancelled
        }
        if isCancelled { handle.cancel() }
    }

    /// Delivers an event, or follows a redirect.
    private func receive(_ event: ResponseEvent, to request: URLRequest) {
        switch event {
        case .answer(let answer):
            let jar = CookieJar(responder, task)
            jar.store(from: answer.response, to: request)
            guard let next = redirectedRequest(after: answer.response, from: request) else {
                return finish(event)
            }
            task.decide(about: answer.response, to: next) { [self] decision in
                switch decision {
                case .follow(let next): follow(jar.applied(to: next))
                case .refuse: finish(event)
                case .report: delivery.add(.redirect(next, answer))
                }
            }
        case .head(let answer):
            CookieJar(responder, task).store(from: answer.response, to: request)
            finish(event)
        case .piece, .end, .failure, .cutHead: finish(event)
        }
    }

    private func follow(_ next: URLRequest) {
        let redirects = progress.withLock { progress in
            progress.handle = nil
            progress.redirects += 1
            return progress.redirects
        }
        guard redirects <= redirectLimit else {
            return finish(.failure(URLError(.httpTooManyRedirects)))
        }
        ask(for: next)
    }

    /// Delivers an event that needs no further request.
    private func finish(_ event: ResponseEvent) {
        delivery.add(.event(event))
    }
}

extension MockError {
    /// Returns the error for a kind of task that cannot be mocked; `nil` for any other task.
    fileprivate static func unsupported(_ task: URLSessionTask?) -> MockError? {
        if task?.isUnsupportedDownload == true {
            return MockError(
                .unsupportedTask,
                """
                A download task cannot be mocked on Linux: Foundation offers a URLProtocol no way \
                to hand over the file. Use a data task and write its body, or network.serve().
                """)
        }
        if task is URLSessionWebSocketTask {
            return MockError(
                .unsupportedTask, "A web socket task cannot be mocked: it does not speak HTTP.")
        }
        return nil
    }
}
