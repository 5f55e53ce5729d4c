import APIKitLite
import Foundation

/// One closure that was set as `MockURLProtocol.requestHandler`, with its own queue of requests.
///
/// The closure is called for one request at a time, so that the variables which it captures need no
/// lock. Each closure has its own queue: an endless closure delays only its own requests, and
/// these fail when it is cleared. When it is replaced, it still answers the requests that began
/// under it.
final class StaticHandler: @unchecked Sendable {  // Calls of a function never overlap.
    typealias Function = (URLRequest) throws -> (URLResponse, Data?)

    private let handlers = Handlers()
    private let state: Locked<State>

    /// The closure; nil after it was cleared.
    var function: Function? { state.withLock { $0.function } }

    /// One request for the closure, and the function that receives the response.
    fileprivate struct Call: Sendable {
        let id: Int
        let request: URLRequest
        let respond: @Sendable ([AnswerPart]) -> Void

        /// Fails the request, and writes the error to standard error: many apps replace every error
        /// by one of their own, and only a network has a `verify()` that reports it.
        func fail(_ error: MockError) {
            writeToStandardError("APIKitLiteTesting: \(error)\n")
            respond([.failure(error)])
        }
    }

    private struct State {
        /// The closure; nil after it was cleared. Nothing else keeps it, so that what it captures is
        /// released then.
        var function: Function?
        /// The requests that wait, oldest first.
        var calls: [Call] = []
        /// Whether a task runs `runCalls()`.
        var isBusy = false
    }

    init(_ function: @escaping Function) {
        state = Locked(State(function: function))
    }

    /// Calls the closure for a request after all earlier ones, or fails the request if the handler
    /// was cleared.
    fileprivate func answer(_ call: Call) {
        let (isLate, isFirst) = state.withLock { state in
            guard state.function != nil else { return (true, false) }
            state.calls.append(call)
            defer { state.isBusy = true }
            return (false, !state.isBusy)
        }
        if isLate { call.fail(.handlerCleared(call.request)) }
        if isFirst { handlers.start { [self] in runCalls() } }
    }

    private func runCalls() {
        while let (call, parts) = callNext() { call.respond(parts) }
    }

    /// Calls the closure for the oldest waiting request, and returns the answer.
    ///
    /// The closure is released before the client receives the answer: after it, a test may check
    /// that nothing keeps what the closure captured.
    private func callNext() -> (Call, [AnswerPart])? {
        let next = state.withLock { state -> (call: Call, function: Function)? in
            guard let function = state.function, !state.calls.isEmpty else {
                state.isBusy = false
                return nil
            }
            return (state.calls.removeFirst(), function)
        }
        guard let (call, function) = next else { return nil }
        do {
            return (call, try Answer(function(call.request), to: call.request).parts)
        } catch {
            return (call, [.failure(error)])
        }
    }

    /// Removes a cancelled request that still waits.
    fileprivate func forget(_ id: Int) {
        state.withLock { $0.calls.removeAll { $0.id == id } }
    }

    /// Releases the closure, and fails the requests that wait for it.
    private func clear() {
        let old = state.withLock { state in
            defer { (state.function, state.calls) = (nil, []) }
            return state
        }
        for call in old.calls { call.fail(.handlerCleared(call.request)) }
    }
}

extension StaticHandler {
    private struct SharedState {
        var handler: StaticHandler?
        var journal = Journal()
    }

    /// The handler that is set, and its journal. The lock in `Locked` owns both.
    private static let shared = Locked(SharedState())

    /// The requests since a handler was last set.
    static var journal: Journal { shared.withLock { $0.journal } }

    /// The handler that is set. Setting `nil` clears it; setting another handler replaces it, and
    /// starts a new journal.
    static var current: StaticHandler? {
        get { shared.withLock { $0.handler } }
        set {
            let last = shared.withLock { shared in
                defer {
                    shared.handler = newValue
                    if newValue != nil { shared.journal = Journal() }
                }
                return shared.handler
            }
            if newValue == nil { last?.clear() }
        }
    }

    /// The responder for one request, which uses the handler that was set when it was made.
    struct CapturedHandler: Responder {
        let handler: StaticHandler?

        var cookieStorage: HTTPCookieStorage? { nil }

        func load(
            _ request: URLRequest, for client: any Client,
            respond: @escaping @Sendable ([AnswerPart]) -> Void
        ) -> CancellationHandle {
            let (journal, id) = shared.withLock { shared in
                // A request that was made under another handler is not in the journal of this one.
                let journal = shared.handler === handler ? shared.journal : Journal()
                let record = RecordedRequest(request: request)
                return (journal, journal.append(record, awaitedBy: nil))
            }
            let recordCancellation = { @Sendable in journal.markCancelled(id, at: .zero) }
            let respond = { @Sendable (parts: [AnswerPart]) in
                journal.record(parts, of: id, at: .zero)
                respond(parts)
            }
            let call = Call(id: id, request: request, respond: respond)
            guard let handler else {
                call.fail(.noHandler(request))
                return CancellationHandle(recordCancellation: recordCancellation)
            }
            handler.answer(call)
            return CancellationHandle(
                recordCancellation: recordCancellation, cancelWork: { handler.forget(id) })
        }
    }
}

extension MockError {
    fileprivate static func noHandler(_ request: URLRequest) -> MockError {
        MockError(
            .noHandler,
            """
            MockURLProtocol received \(request.line(redacting: .none)), but no handler is set. \
            Set MockURLProtocol.requestHandler before the request is made.
            """)
    }

    fileprivate static func handlerCleared(_ request: URLRequest) -> MockError {
        MockError(
            .handlerCleared,
            """
            \(request.line(redacting: .none)) was refused: its MockURLProtocol.requestHandler \
            was set to nil before it was called. Wait for every request before a test ends, or give \
            each test a MockNetwork of its own.
            """)
    }
}
