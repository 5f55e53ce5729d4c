import APIKitLite
import Foundation

/// The work of one `URLProtocol` object: it requests the answer, follows redirects, stores cookies,
/// and delivers the parts of the reply to the client.
///
/// It calls the client on the loading thread, in order, and never after the last part.
final class ProtocolLoad: Client,
    @unchecked Sendable  // See the lock of `state`, and the loading thread of the other variables.
{
    // `assembly` and `urlProtocol` are used on the loading thread only; the other properties are
    // constants, of which only `task` is weak.

    private struct State {
        /// The parts that have not been delivered yet. With a redirect, Foundation follows it, and
        /// delivers the part if the client refuses that.
        var parts: [(part: Reply.Part, redirect: URLRequest?)] = []
        /// Whether the last part was added.
        var hasLast = false
        /// Whether parts are delivered: after the start, except while the task is suspended.
        var isStarted = false
        /// The thread for parts that come later.
        var thread: LoadingThread?
        /// Whether the last part was delivered, or the load was stopped.
        var isOver = false
        var isStopped = false
        var handle: CancellationHandle?
        /// How many redirects were followed.
        var redirects = 0

        /// Removes and returns the next part to deliver. The last one ends the delivery.
        mutating func takeNext() -> (part: Reply.Part, redirect: URLRequest?)? {
            guard isStarted, !parts.isEmpty else { return nil }
            let next = parts.removeFirst()
            if next.part.isLast { (isOver, handle, thread) = (true, nil, nil) }
            return next
        }
    }

    private let responder: any Responder
    private let state = Locked(State())
    private weak var urlProtocol: URLProtocol?
    private weak var task: URLSessionTask?
    private let reader: (@Sendable () -> ReaderState)?
    /// The pieces for a client that must receive the whole body at once; nil for any other.
    private var assembly: [Data]?

    /// Whether the client still waits for the answer. The reader of a stream may have left a moment
    /// before its task is cancelled.
    var isWaiting: Bool { task?.state == .running && readerState != .left }
    var readerState: ReaderState? { reader?() }
    /// The request timeout of the session in seconds; `nil` where the session is not known.
    var sessionTimeout: TimeInterval? { task.sessionTimeout }

    init(_ urlProtocol: URLProtocol, _ responder: any Responder) {
        self.responder = responder
        self.urlProtocol = urlProtocol
        task = urlProtocol.task
        reader = task?.readerState
    }

    /// Requests the answer, unless the task was cancelled before.
    func begin(_ request: URLRequest) {
        if task?.state == .canceling { return }
        if let failure = MockError.unsupported(task) { return add(Reply.Part(failure)) }
        guard responder.matchesWithUserCode || RequestBody.isSlow(request, task) else {
            return ask(for: task.requestAsSent(request, responder), afterRedirects: 0)
        }
        // The loading thread must not run the code of the user, and reading from a stream may block
        // until its writer continues.
        Thread.detachNewThread { [self] in
            do {
                let request = task.requestAsSent(try RequestBody.fill(request, task), responder)
                // The task may have been cancelled while the body was read.
                if !state.withLock(\.isOver) { ask(for: request, afterRedirects: 0) }
            } catch {
                add(Reply.Part(error))
            }
        }
    }

    /// Starts to deliver, or continues after a suspension. Call it on the loading thread.
    func start() {
        guard let urlProtocol else { return }
        let isWanted = task?.wantsAnswer != false
        let next = state.withLock { state in
            guard !state.isOver else { return nil as (part: Reply.Part, redirect: URLRequest?)? }
            state.isStarted = true
            if !state.hasLast || !isWanted { state.thread = .current(of: urlProtocol) }
            return isWanted ? state.takeNext() : nil
        }
        if let next { deliver(next) }
    }

    /// Pauses the delivery if the task is suspended; otherwise ends it, and cancels the request.
    ///
    /// Call it on the loading thread.
    func stop() {
        if task?.state == .suspended {
            return state.withLock { ($0.isStarted, $0.thread) = (false, nil) }
        }
        if task?.isAboutToRestart == true { return }
        let handle = state.withLock { state in
            defer {
                state = State(isOver: true, isStopped: true, redirects: state.redirects)
            }
            return state.handle
        }
        handle?.cancel()
    }

    private func ask(for request: URLRequest, afterRedirects redirects: Int) {
        let handle = responder.load(request, for: self) { [self] part in
            receive(part, to: request)
        }
        let isCancelled = state.withLock { state in
            // If the answer came immediately, the request after a redirect may have been sent
            // already, or the answer may have been delivered.
            guard state.redirects == redirects else { return false }
            if !state.isOver { state.handle = handle }
            return state.isStopped
        }
        if isCancelled { handle.cancel() }
    }

    /// Delivers a part of a reply, or follows a redirect.
    private func receive(_ part: Reply.Part, to request: URLRequest) {
        let jar = CookieJar(responder, task)
        jar.store(from: part, to: request)
        guard part.isWhole, let response = part.reply.response,
            let next = redirectedRequest(after: response, from: request)
        else { return add(part) }
        task.decide(about: response, to: next) { [self] decision in
            switch decision {
            case .follow(let next): follow(jar.applied(to: next))
            case .refuse: add(part)
            case .report: add(part, redirect: next)
            }
        }
    }

    private func follow(_ next: URLRequest) {
        let (redirects, isOver) = state.withLock { state in
            state.handle = nil
            state.redirects += 1
            return (state.redirects, state.isOver)
        }
        if isOver { return }
        guard redirects <= redirectLimit else {
            return add(Reply.Part(URLError(.httpTooManyRedirects)))
        }
        ask(for: next, afterRedirects: redirects)
    }

    /// Adds a part, and delivers it as soon as Foundation accepts it, on any thread. Parts after the
    /// last one are ignored.
    private func add(_ part: Reply.Part, redirect: URLRequest? = nil) {
        let thread = state.withLock { state -> LoadingThread? in
            guard !state.isOver, !state.hasLast else { return nil }
            state.parts.append((part, redirect))
            state.hasLast = part.isLast
            return state.thread
        }
        thread?.perform { [self] in
            guard let next = next() else { return }
            deliver(next)
        }
    }

    /// Returns the next part, unless the client has suspended or cancelled its task.
    private func next() -> (part: Reply.Part, redirect: URLRequest?)? {
        task?.wantsAnswer == false ? nil : state.withLock { $0.takeNext() }
    }

    /// Delivers a part and those after it. Call it on the loading thread.
    private func deliver(_ first: (part: Reply.Part, redirect: URLRequest?)) {
        guard let urlProtocol, let client = urlProtocol.client else { return }
        var item = first
        while true {
            if let redirect = item.redirect, let response = item.part.reply.response {
                client.urlProtocol(
                    urlProtocol, wasRedirectedTo: redirect, redirectResponse: response)
                // If the client follows the redirect, Foundation stops this load, and must not
                // receive the answer. It asks the client on another thread, and nothing reports a
                // refusal, so the answer waits. An exchange always refuses.
                let wait = task?.isOfExchange == true ? 0 : 0.5
                let thread = LoadingThread.current(of: urlProtocol)
                let answer = { @Sendable [self, part = item.part] in
                    guard !state.withLock(\.isStopped), let urlProtocol = self.urlProtocol,
                        let client = urlProtocol.client
                    else { return }
                    deliver(part, to: client, of: urlProtocol)
                }
                return DispatchQueue.global().asyncAfter(deadline: .now() + wait) {
                    thread.perform(answer)
                }
            }
            deliver(item.part, to: client, of: urlProtocol)
            guard !item.part.isLast, let next = next() else { return }
            item = next
        }
    }

    private func deliver(
        _ part: Reply.Part, to client: any URLProtocolClient, of urlProtocol: URLProtocol
    ) {
        // On Linux, a task without a data delegate would keep only the last piece of the body.
        if case .head = part.steps.first?.event, !part.isWhole || part.pieces.count > 1,
            task?.seesPieces == false
        {
            assembly = []
        }
        guard assembly != nil else {
            for step in part.steps { client.receive(step.event, of: part.reply, urlProtocol) }
            return
        }
        switch part.result(collecting: &assembly!) {
        case .success((let body, let response)):
            let whole = Reply(response: response, body: [body])
            for step in whole.steps { client.receive(step.event, of: whole, urlProtocol) }
        case .failure(let error): client.receive(.failure(error), of: part.reply, urlProtocol)
        case nil:
            for case .piece(_, let posted?) in part.steps.map(\.event) {
                // Neither under a lock nor on this thread: it may run the code of a test.
                task.afterDelegateCalls { posted.didTake() }
            }
        }
    }
}

extension URLProtocolClient {
    /// Delivers one event of a reply.
    fileprivate func receive(_ event: Reply.Event, of reply: Reply, _ sender: URLProtocol) {
        switch event {
        case .head:
            guard let response = reply.response?.withoutChallenge else { return }
            urlProtocol(sender, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .piece(let data, nil): urlProtocol(sender, didLoad: data)
        case .piece(let data, let posted?):
            // A delegate may cancel its task because of the piece, before `didTake()` is called.
            sender.task.afterDelegateCalls { posted.willTake() }
            urlProtocol(sender, didLoad: data)
            sender.task.afterDelegateCalls { posted.didTake() }
        case .end: urlProtocolDidFinishLoading(sender)
        default:
            guard let error = event.error else { return }
            let direct = error as? DirectAnswer ?? (error as? MockError)?.directAnswer
            receive(direct ?? DirectAnswer(error: error), sender)
        }
    }

    private func receive(_ answer: DirectAnswer, _ sender: URLProtocol) {
        if let response = answer.response {
            let http = (response as? HTTPURLResponse)?.withoutChallenge
            urlProtocol(sender, didReceive: http ?? response, cacheStoragePolicy: .notAllowed)
        }
        if let data = answer.data, !data.isEmpty { urlProtocol(sender, didLoad: data) }
        guard let error = answer.error else { return urlProtocolDidFinishLoading(sender) }
        urlProtocol(sender, didFailWithError: carryingOriginal(error))
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
