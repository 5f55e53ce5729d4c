import APIKitLite

/// Runs handlers in tasks that have the task-locals of the place where this object was made.
///
/// A failing `#expect` in a handler is therefore attributed to the test that made the network. One
/// task, made with this object, reads the calls. It starts the task of each call, which gets its
/// task-locals.
final class Handlers: Sendable {
    private let calls: AsyncStream<HandlerCall>.Continuation

    init() {
        let (stream, calls) = AsyncStream.makeStream(of: HandlerCall.self)
        self.calls = calls
        startHandlerTask {
            for await call in stream { call.start() }
        }
    }

    deinit {
        calls.finish()
    }

    /// Runs a handler, beside all others, and returns what cancels it.
    ///
    /// It must not be cancelled on the loading thread: a cancellation handler is code of the user's,
    /// and a `URLSession` call there would end the process.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = HandlerCall(handler)
        calls.yield(call)
        return Cancellation { call.cancel() }
    }
}

/// One call of a handler.
private final class HandlerCall: Sendable {
    private struct State {
        /// Released at the start: it may retain what retains this call.
        var handler: (@Sendable () async -> Void)?
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>

    init(_ handler: @escaping @Sendable () async -> Void) {
        state = Locked(State(handler: handler))
    }

    func start() {
        // Under the lock, so that a cancellation finds either the handler or its task.
        state.withLock { state in
            guard let handler = state.handler else { return }
            state.handler = nil
            state.task = startHandlerTask(handler)
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.handler = nil
            return state.task
        }
        task?.cancel()
    }
}
