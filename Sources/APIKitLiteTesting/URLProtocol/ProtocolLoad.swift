import APIKitLite
import Foundation

/// The work of one `URLProtocol` object. A load requests the response, and delivers its parts to
/// the client.
///
/// The load calls the client on the loading thread, in order, and never after the last part.
final class ProtocolLoad: Client,
    @unchecked Sendable  // A lock guards `state`. Other variables stay on the loading thread.
{
    // `collected` and `urlProtocol` are used only on the loading thread. The other properties are
    // constants, of which only `task` is weak.

    private struct State {
        /// The undelivered parts of the response.
        var parts: [ResponsePart] = []
        /// Whether parts may be delivered: after the start, except while the task is suspended.
        var isStarted = false
        /// The thread on which to deliver later parts.
        var thread: LoadingThread?
        /// Whether the last part has been taken, or the load was stopped.
        var isOver = false
        /// The request; nil once the last part of its response has been taken.
        var request: ClientRequest?
        /// The next request of a redirect about which Foundation asks the client; nil for any other
        /// response, or if the load was stopped. The redirect itself is delivered only if the
        /// client refuses it.
        var redirect: URLRequest?

        /// Removes and returns the next part to deliver. The last part ends the delivery.
        mutating func takeNext() -> ResponsePart? {
            guard isStarted, !parts.isEmpty else { return nil }
            let next = parts.removeFirst()
            if next.isLast { (isOver, request, thread) = (true, nil, nil) }
            return next
        }
    }

    private let core: NetworkCore
    private let state = Locked(State())
    private weak var urlProtocol: URLProtocol?
    private weak var task: URLSessionTask?
    private let reader: (@Sendable () -> ReaderState)?
    /// The parts collected so far, if the client must receive several pieces as one; nil otherwise.
    private var collected: ResponsePart?

    /// Whether the client is still waiting for the response. A stream's reader may stop
    /// reading shortly before `task` is cancelled.
    var isWaiting: Bool { task?.state == .running && readerState != .left }
    var readerState: ReaderState? { reader?() }
    /// The request timeout of the session in seconds; `nil` if the session is unknown.
    var sessionTimeout: TimeInterval? { task.sessionTimeout }
    var supportsOnlyHTTP: Bool { false }
    // The number of passes is given in this property, not in a task-local value, because this code
    // runs on the loading thread. Setting a task-local value there can wait for a task that is
    // being cancelled, and that task waits for the loading thread.
    var passes: Int { task?.exchange?.passes ?? SendContext.passes }
    var cookieStorage: HTTPCookieStorage? { task.cookieStorage(or: core.cookieStorage) }

    init(_ urlProtocol: URLProtocol, _ core: NetworkCore) {
        self.core = core
        self.urlProtocol = urlProtocol
        task = urlProtocol.task
        reader = task?.exchange?.readerState
    }

    /// Requests the response, unless the task has already been cancelled.
    func begin(_ request: URLRequest) {
        if task?.state == .canceling { return }
        if let failure = MockError.unsupported(task) { return add(.failure(failure)) }
        guard core.matchesWithUserCode || RequestBody.isSlow(request, task) else {
            return ask(for: request)
        }
        // The loading thread must not run the user's code, and reading from a stream may block
        // until the stream's writer continues.
        Thread.detachNewThread { [self] in ask(for: request) }
    }

    private func ask(for request: URLRequest) {
        do {
            let sent = try RequestBody.fill(task.requestAsSent(request, by: self), task)
            let clientRequest = ClientRequest(to: core, from: self) { [self] in add($0) }
            // The task may have been cancelled while the body was read.
            let isOver = state.withLock { state in
                if !state.isOver { state.request = clientRequest }
                return state.isOver
            }
            if !isOver { clientRequest.send(sent) }
        } catch {
            add(.failure(error))
        }
    }

    /// Starts the delivery, or continues the delivery after a suspension. Call this method on the
    /// loading thread.
    func start() {
        guard let urlProtocol else { return }
        state.withLock { state in
            state.isStarted = true
            // If the last part is already there, no other thread calls `deliver()`.
            if !state.isOver, state.parts.last?.isLast != true {
                state.thread = .current(of: urlProtocol)
            }
        }
        deliver()
    }

    /// Pauses the delivery if the task is suspended. Otherwise ends the delivery and cancels the
    /// request, unless Foundation is about to restart the load.
    ///
    /// Call this method on the loading thread.
    func stop() {
        if task?.state == .suspended {
            return state.withLock { ($0.isStarted, $0.thread) = (false, nil) }
        }
        if task?.isAboutToRestart == true { return }
        let request = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.request
        }
        request?.cancel()
    }

    func follow(_ response: HTTPURLResponse, to request: URLRequest, _ decide: @escaping Decision) {
        guard let next = redirectedRequest(after: response, from: request) else {
            return decide(.success(nil))
        }
        if task.decide(about: response, to: next, completion: { decide(.success($0)) }) { return }
        state.withLock { $0.redirect = next }
        decide(.success(nil))
    }

    /// Adds a part, on any thread, and delivers the part as soon as Foundation accepts parts. Parts
    /// after the last part, or after the load was stopped, are ignored.
    private func add(_ part: ResponsePart) {
        let thread = state.withLock { state -> LoadingThread? in
            guard !state.isOver, state.parts.last?.isLast != true else { return nil }
            state.parts.append(part)
            return state.thread
        }
        thread?.perform { [self] in deliver() }
    }

    /// Delivers the available parts, unless the client has suspended or cancelled its task. Call
    /// this method on the loading thread.
    private func deliver() {
        while task?.wantsResponse != false, let urlProtocol,
            let part = state.withLock({ $0.takeNext() })
        {
            if let redirect = state.withLock(\.redirect), let head = part.completeHead {
                urlProtocol.client?.urlProtocol(
                    urlProtocol, wasRedirectedTo: redirect, redirectResponse: head.response)
                // If the client follows the redirect, Foundation stops this load, and must not
                // receive the response. Foundation asks the client on another thread, and nothing
                // reports a refusal, so the response is delayed. This library's own tasks always
                // refuse the redirect, so their responses are not delayed.
                let wait = task?.exchange == nil ? 0.5 : 0
                let thread = LoadingThread.current(of: urlProtocol)
                return DispatchQueue.global().asyncAfter(deadline: .now() + wait) {
                    thread.perform { [self] in
                        if state.withLock(\.redirect) != nil { deliver(part) }
                    }
                }
            }
            deliver(part)
        }
    }

    private func deliver(_ part: ResponsePart) {
        guard let urlProtocol, let client = urlProtocol.client else { return }
        // On Linux, a task without a data delegate would keep only the last piece of the body.
        let hasPieces = part.completeHead == nil || part.pieces.count > 1
        if part.head != nil, hasPieces, task?.seesPieces == false {
            collected = ResponsePart()
        }
        guard collected != nil else { return client.receive(part, urlProtocol) }
        collected?.append(part)
        // `didTake()` may run a test's code, so it is called outside any lock, on another thread.
        for receipt in part.receipts { task.afterDelegateCalls(receipt.didTake) }
        guard var whole = collected, whole.isLast else { return }
        whole.pieces = [ResponsePart.Piece(data: whole.body.joined)]
        client.receive(whole, urlProtocol)
    }
}

extension URLProtocolClient {
    /// Delivers a part of a response.
    fileprivate func receive(_ part: ResponsePart, _ sender: URLProtocol) {
        if let response = part.head?.response.withoutChallenge ?? part.plainResponse {
            urlProtocol(sender, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        for piece in part.pieces {
            // When a delegate receives the piece, it may cancel its task before `didTake()` runs.
            if let receipt = piece.receipt { sender.task.afterDelegateCalls(receipt.willTake) }
            urlProtocol(sender, didLoad: piece.data)
            if let receipt = piece.receipt { sender.task.afterDelegateCalls(receipt.didTake) }
        }
        guard part.isLast else { return }
        guard let error = part.error else { return urlProtocolDidFinishLoading(sender) }
        urlProtocol(sender, didFailWithError: carryingOriginal(error))
    }
}

extension MockError {
    /// Returns the error for a task of a kind that cannot be mocked, or `nil` for any other task.
    fileprivate static func unsupported(_ task: URLSessionTask?) -> MockError? {
        if task?.isUnsupportedDownload == true {
            return MockError(
                """
                A download task cannot be mocked on Linux: Foundation offers a URLProtocol no way \
                to hand over the file. Use a data task and write its body, or network.serve().
                """)
        }
        if task is URLSessionWebSocketTask {
            return MockError("A web socket task cannot be mocked: it does not speak HTTP.")
        }
        return nil
    }
}
