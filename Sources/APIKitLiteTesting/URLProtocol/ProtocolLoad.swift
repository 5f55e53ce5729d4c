import APIKitLite
import Foundation

/// What one `URLProtocol` object does: asks for the answer, follows redirects, keeps cookies, and
/// delivers.
final class ProtocolLoad: Client, @unchecked Sendable {  // Set in the first `begin`.
    private struct Progress {
        var hasBegun = false
        var isCancelled = false
        /// The request under way, for a cancellation, and how many there were before it.
        var handle: CancellationHandle?
        var number = 0
    }

    /// One request of those that an answer may take.
    private struct Attempt {
        /// What the client asked for, with its body.
        let first: URLRequest
        /// Which stubs have passed it on.
        let passage: Passage
        var redirects = 0
        /// How many challenges were answered with a credential.
        var credentials = 0

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

    var isWaiting: Bool { task?.state == .running }
    var sessionTimeout: TimeInterval? { task?.sessionTimeout }

    /// Asks for the answer, once, as soon as the task runs: one that is cancelled before sends
    /// nothing. On any thread, but never on two at once.
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
        // Here, where the client's own task-locals can still be read.
        let passage = Passage(of: request)
        if let failure = MockError.unsupported(task) {
            finish(.failure(failure))
        } else if responder.matchesWithUserCode, !RequestBody.isSlow(request, task) {
            DispatchQueue.global().async { [self] in
                ask(responder, for: request, Attempt(first: request, passage))
            }
        } else if RequestBody.isSlow(request, task) {
            // A stream may block for as long as its writer likes.
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

    /// Foundation wants the answer. On the loading thread.
    func start(_ urlProtocol: URLProtocol) {
        delivery.start(urlProtocol)
    }

    /// Foundation does not want the answer: for now, or never again. On the loading thread.
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

    private func ask(_ responder: any Responder, for request: URLRequest, _ attempt: Attempt) {
        let mayAsk = progress.withLock { progress in
            progress.handle = nil
            progress.number = attempt.number
            return !progress.isCancelled
        }
        // Cancelled while its body was read, or while a delegate was asked.
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
            // An answer that came at once may have led on to the next request.
            guard progress.number == attempt.number else { return false }
            if !progress.isCancelled { progress.handle = handle }
            return progress.isCancelled
        }
        if isCancelled { handle.cancel() }
    }

    #if canImport(FoundationNetworking)
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
                    // Foundation begins again, with the request that the client made.
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
            // What Foundation does not send again.
            next.httpBody = nil
            next.httpBodyStream = nil
            var attempt = attempt
            attempt.redirects += 1
            ask(responder, for: hasDelegate ? next : jar.applied(to: next), attempt)
        }
    }
    #else
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

    private func finish(_ event: ResponseEvent) {
        delivery.add(.event(event), for: urlProtocol)
    }
}

extension MockError {
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
