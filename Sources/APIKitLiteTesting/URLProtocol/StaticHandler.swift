import APIKitLite
import Foundation

/// One closure that was set as `MockURLProtocol.requestHandler`, with its own queue of requests.
///
/// Requests take calls, so that the closure's counters stay right. The call is the closure's own:
/// one that never returns delays only its own requests, and these end when it is replaced.
final class StaticHandler: @unchecked Sendable {  // `function` runs in one call at a time.
    typealias Function = (URLRequest) throws -> (HTTPURLResponse, Data?)

    let function: Function
    private let handlers = HandlerQueue()
    private let state = Locked(State())

    fileprivate struct Call: Sendable {
        let id: Int
        let request: URLRequest
        let respond: @Sendable (ResponseEvent) -> Void
    }

    private struct State {
        var calls: [Call] = []
        var isBusy = false
        var isRetired = false
    }

    init(_ function: @escaping Function) {
        self.function = function
    }

    deinit {
        handlers.close()
    }

    fileprivate func answer(_ call: Call) {
        let (isLate, isFirst) = state.withLock { state in
            guard !state.isRetired else { return (true, false) }
            state.calls.append(call)
            defer { state.isBusy = true }
            return (false, !state.isBusy)
        }
        if isLate { call.respond(.failure(MockError.handlerReplaced(call.request))) }
        if isFirst { _ = handlers.start { [self] in runCalls() } }
    }

    private func runCalls() {
        while let call = nextCall() {
            do {
                call.respond(.answer(Answer(try function(call.request), to: call.request)))
            } catch {
                call.respond(.failure(error))
            }
        }
    }

    private func nextCall() -> Call? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.calls.removeFirst()
        }
    }

    fileprivate func forget(_ id: Int) {
        state.withLock { $0.calls.removeAll { $0.id == id } }
    }

    /// Refuses the requests that wait: another test's handler must not answer them.
    private func retire() {
        let late = state.withLock { state in
            defer { state.calls = [] }
            state.isRetired = true
            return state.calls
        }
        for call in late { call.respond(.failure(MockError.handlerReplaced(call.request))) }
    }
}

extension StaticHandler {
    private struct SharedState {
        var handler: StaticHandler?
        var journal = Journal()
    }

    private static let shared = Locked(SharedState())

    static var journal: Journal { shared.withLock { $0.journal } }

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

    /// Answers from the handler that was set when the request was made.
    struct CapturedHandler: Responder {
        let handler: StaticHandler?

        var cookieStorage: HTTPCookieStorage? { nil }

        func load(
            _ request: URLRequest, for client: any Client, passage: Passage,
            respond: @escaping @Sendable (ResponseEvent) -> Void
        ) -> CancellationHandle {
            let (journal, id, isLate) = shared.withLock { shared in
                let isLate = shared.handler !== handler
                // What came for another handler is not in the journal of this one.
                let journal = isLate ? Journal() : shared.journal
                let record = RecordedRequest(request: request)
                return (journal, journal.append(record, awaitedBy: nil), isLate)
            }
            let recordCancellation = { @Sendable in journal.markCancelled(id, at: .zero) }
            guard let handler, !isLate else {
                let failure = handler == nil ? MockError.noHandler : MockError.handlerReplaced
                respond(.failure(failure(request)))
                return CancellationHandle(recordCancellation: recordCancellation)
            }
            handler.answer(Call(id: id, request: request, respond: respond))
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
            MockURLProtocol received \(request.line), but no handler is set. \
            Set MockURLProtocol.requestHandler before the request is made.
            """)
    }

    fileprivate static func handlerReplaced(_ request: URLRequest) -> MockError {
        MockError(
            .handlerReplaced,
            """
            \(request.line) was refused: its MockURLProtocol.requestHandler was replaced or cleared \
            before it was called. Wait for every request before a test ends, or give each test a \
            MockNetwork of its own.
            """)
    }
}
