import APIKitLite
import Foundation

/// The work of one `URLProtocol` object: it requests the answer, follows redirects, stores cookies
/// and delivers the result.
final class ProtocolLoad: Client, @unchecked Sendable {
    // Safe: the variables are set once, in the first `begin(_:)`; `progress` has a lock.

    /// How far the load is.
    private struct Progress {
        var hasBegun = false
        var isCancelled = false
        /// Cancels the current request.
        var handle: CancellationHandle?
        /// How many requests came before the current one.
        var number = 0
    }

    /// One request. A redirect or a challenge leads to another one.
    private struct Attempt {
        /// The client's own request, with its body.
        let first: URLRequest
        /// The stubs that have passed the request on.
        let passage: Passage
        /// How many redirects were followed.
        var redirects = 0
        /// How many challenges were answered with a credential.
        var credentials = 0

        /// How many requests came before this one.
        var number: Int { redirects + credentials }

        init(first: URLRequest, _ passage: Passage) {
            self.first = first
            self.passage = passage
        }
    }

    private let delivery = Delivery()
    private let progress = Locked(Progress())
    private var responder: (any Responder)?
    private var urlProtocol = WeakProtocol()
    private weak var task: URLSessionTask?

    /// Whether the client still waits for the answer.
    var isWaiting: Bool { task?.state == .running }
    /// The request timeout of the session in seconds; `nil` where the session is not known.
    var sessionTimeout: TimeInterval? { task?.sessionTimeout }

    /// Requests the answer, once, if the task is running. A task that was cancelled before sends
    /// nothing.
    ///
    /// It may be called on any thread, but never on two threads at once.
    func begin(_ urlProtocol: MockURLProtocol) {
        let request = urlProtocol.request
        let task = urlProtocol.task
        let responder = self.responder ?? type(of: urlProtocol).responder(to: request)
        if self.responder == nil {
            self.responder = responder
            self.urlProtocol = WeakProtocol(value: urlProtocol)
            self.task = task
        }
        guard task?.wantsAnswer != false else { return }
        let isFirst = progress.withLock { progress in
            defer { progress.hasBegun = true }
            return !progress.hasBegun
        }
        guard isFirst else { return }
        // Inside `resume()`, the task-locals of the client can be read here, but not later.
        let passage = Passage(of: request)
        if let failure = MockError.unsupported(task) {
            finish(.failure(failure))
        } else if responder.matchesWithUserCode, !RequestBody.isSlow(request, task) {
            // The loading thread must not run it.
            DispatchQueue.global().async { [self] in
                ask(responder, for: request, Attempt(first: request, passage))
            }
        } else if RequestBody.isSlow(request, task) {
            // Reading from a stream may block until its writer continues.
            Thread.detachNewThread { [self] in
                do {
                    let request = try RequestBody.fill(request, task)
                    ask(responder, for: request, Attempt(first: request, passage))
                } catch {
                    finish(.failure(error))
                }
            }
        } else {
            ask(responder, for: request, Attempt(first: request, passage))
        }
    }

    /// Delivers the answer as soon as it is there. Call it on the loading thread.
    func start(_ urlProtocol: URLProtocol) {
        delivery.start(urlProtocol)
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
    private func ask(_ responder: any Responder, for request: URLRequest, _ attempt: Attempt) {
        let mayAsk = progress.withLock { progress in
            progress.handle = nil
            progress.number = attempt.number
            return !progress.isCancelled
        }
        // The task may have been cancelled while the body was read or a delegate was asked.
        guard mayAsk else { return }
        let handle = responder.load(
            task.requestAsSent(request), for: self, passage: attempt.passage
        ) {
            [self] event in
            switch event {
            case .answer(let answer): receive(answer, to: request, responder, attempt)
            case .head(let answer):
                CookieJar(responder, task).store(from: answer.response, to: request)
                finish(event)
            case .piece, .end, .failure, .cutHead: finish(event)
            }
        }
        let isCancelled = progress.withLock { progress in
            // If the answer came at once, the next request may have started already.
            guard progress.number == attempt.number else { return false }
            if !progress.isCancelled { progress.handle = handle }
            return progress.isCancelled
        }
        if isCancelled { handle.cancel() }
    }

    #if canImport(FoundationNetworking)
    /// Delivers an answer, or follows its challenge or its redirect.
    private func receive(
        _ answer: Answer, to request: URLRequest, _ responder: any Responder, _ attempt: Attempt
    ) {
        let jar = CookieJar(responder, task)
        jar.store(from: answer.response, to: request)
        if let challenge = Challenge(answer.response, failures: attempt.credentials) {
            return task.ask(challenge) { [self] outcome in
                switch outcome {
                case .credential(let credential):
                    var next = attempt
                    next.credentials += 1
                    // Like Foundation, it repeats the client's own request, not a redirected one.
                    ask(responder, for: attempt.first.authorized(by: credential), next)
                case .none: finish(.answer(answer))
                case .cancel: finish(.failure(URLError(.cancelled)))
                }
            }
        }
        guard let next = foundationRedirect(after: answer.response, from: request) else {
            return finish(.answer(answer))
        }
        guard attempt.redirects < foundationRedirectLimit else {
            return finish(.failure(URLError(.httpTooManyRedirects)))
        }
        let hasDelegate = task?.delegate != nil
        task.askDelegate(answer.response, next) { [self] next in
            guard var next else { return finish(.answer(answer)) }
            guard ["http", "https"].contains(next.url?.scheme?.lowercased()) else {
                return finish(.failure(URLError(.unsupportedURL)))
            }
            // Foundation does not send the body again.
            next.httpBody = nil
            next.httpBodyStream = nil
            var attempt = attempt
            attempt.redirects += 1
            ask(responder, for: hasDelegate ? next : jar.applied(to: next), attempt)
        }
    }
    #else
    /// Delivers an answer or a redirect, which Foundation follows itself.
    private func receive(
        _ answer: Answer, to request: URLRequest, _ responder: any Responder, _ attempt: Attempt
    ) {
        CookieJar(responder, task).store(from: answer.response, to: request)
        guard let next = redirectedRequest(after: answer.response, from: request) else {
            return finish(.answer(answer))
        }
        delivery.add(.redirect(next, answer), for: urlProtocol)
    }
    #endif

    /// Delivers an event that needs no further request.
    private func finish(_ event: ResponseEvent) {
        delivery.add(.event(event), for: urlProtocol)
    }
}

extension MockError {
    /// Returns the error for a kind of task that cannot be mocked; `nil` for any other task.
    fileprivate static func unsupported(_ task: URLSessionTask?) -> MockError? {
        #if canImport(FoundationNetworking)
        if task is URLSessionDownloadTask {
            return MockError(
                .unsupportedTask,
                """
                A download task cannot be mocked on Linux: Foundation offers a URLProtocol no way \
                to hand over the file. Use a data task and write its body, or network.serve().
                """)
        }
        #endif
        if task is URLSessionWebSocketTask {
            return MockError(
                .unsupportedTask, "A web socket task cannot be mocked: it does not speak HTTP.")
        }
        return nil
    }
}
