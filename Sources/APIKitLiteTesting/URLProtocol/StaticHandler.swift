import APIKitLite
import Foundation

/// One closure that was set as `MockURLProtocol.requestHandler`, with its own queue of requests.
///
/// The closure is called for one request at a time, so that the variables which it captures need no
/// lock. Each closure has its own queue: an endless closure delays only its own requests, and
/// these fail when it is replaced.
final class StaticHandler: @unchecked Sendable {
    // Safe: calls of `function` never overlap; `state` has a lock.
    typealias Function = (URLRequest) throws -> (URLResponse, Data?)

    let function: Function
    private let handlers = Handlers()
    private let state = Locked(State())

    /// One request for the closure, and the function that receives the response.
    fileprivate struct Call: Sendable {
        let id: Int
        let request: URLRequest
        let respond: @Sendable (Reply.Part) -> Void

        /// Fails the request, and writes the error to standard error: many apps replace every error
        /// by one of their own, and only a network has a `verify()` that reports it.
        func fail(_ error: MockError) {
            writeToStandardError("APIKitLiteTesting: \(error)\n")
            respond(Reply.Part(error))
        }
    }

    private struct State {
        /// The requests that wait, oldest first.
        var calls: [Call] = []
        /// Whether a task runs `runCalls()`.
        var isBusy = false
        /// Whether another handler was set, or none.
        var isRetired = false
    }

    init(_ function: @escaping Function) {
        self.function = function
    }

    /// Calls the closure for a request after all earlier ones, or fails the request if the handler
    /// was replaced.
    fileprivate func answer(_ call: Call) {
        let (isLate, isFirst) = state.withLock { state in
            guard !state.isRetired else { return (true, false) }
            state.calls.append(call)
            defer { state.isBusy = true }
            return (false, !state.isBusy)
        }
        if isLate { call.fail(.handlerReplaced(call.request)) }
        if isFirst { _ = handlers.start { [self] in runCalls() } }
    }

    private func runCalls() {
        while let call = nextCall() {
            do {
                call.respond(Reply.Part(try Reply(function(call.request), to: call.request)))
            } catch {
                call.respond(Reply.Part(error))
            }
        }
    }

    /// Removes the oldest waiting call, and returns it.
    private func nextCall() -> Call? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.calls.removeFirst()
        }
    }

    /// Removes a cancelled request that still waits.
    fileprivate func forget(_ id: Int) {
        state.withLock { $0.calls.removeAll { $0.id == id } }
    }

    /// Fails the requests that wait: the handler of another test must not answer them.
    private func retire() {
        let late = state.withLock { state in
            defer { state.calls = [] }
            state.isRetired = true
            return state.calls
        }
        for call in late { call.fail(.handlerReplaced(call.request)) }
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

    /// The handler that is set. Setting a handler or `nil` retires the last one; setting a handler
    /// also starts a new journal.
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
            last?.retire()
        }
    }

    /// The responder for one request, which uses the handler that was set when it was made.
    struct CapturedHandler: Responder {
        let handler: StaticHandler?

        var cookieStorage: HTTPCookieStorage? { nil }

        func load(
            _ request: URLRequest, for client: any Client,
            respond: @escaping @Sendable (Reply.Part) -> Void
        ) -> CancellationHandle {
            let (journal, id, isLate) = shared.withLock { shared in
                let isLate = shared.handler !== handler
                // A request that was made under another handler is not in the journal of this one.
                let journal = isLate ? Journal() : shared.journal
                let record = RecordedRequest(request: request)
                return (journal, journal.append(record, awaitedBy: nil), isLate)
            }
            let recordCancellation = { @Sendable in journal.markCancelled(id, at: .zero) }
            let respond = { @Sendable (part: Reply.Part) in
                journal.record(part, of: id, at: .zero)
                respond(part)
            }
            let call = Call(id: id, request: request, respond: respond)
            guard let handler, !isLate else {
                call.fail(handler == nil ? .noHandler(request) : .handlerReplaced(request))
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
            MockURLProtocol received \(request.line(redacting: .standard)), but no handler is set. \
            Set MockURLProtocol.requestHandler before the request is made.
            """)
    }

    fileprivate static func handlerReplaced(_ request: URLRequest) -> MockError {
        MockError(
            .handlerReplaced,
            """
            \(request.line(redacting: .standard)) was refused: its MockURLProtocol.requestHandler \
            was replaced or cleared before it was called. Wait for every request before a test ends, \
            or give each test a MockNetwork of its own.
            """)
    }
}
