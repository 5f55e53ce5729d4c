import APIKitLite

/// Runs handlers in tasks that have the task-locals of the place where this object was made.
///
/// A failing `#expect` in a handler is therefore attributed to the test that made the network. One
/// task, made with this object, starts the task of each call, which gets its task-locals. It does
/// so inside `start(_:)`, because to wake another thread for each call takes longer.
final class Handlers: Sendable {
    /// The calls that have no task yet. They are handed over under this lock and not through the
    /// stream, because the thread sanitizer does not see the synchronization inside a stream, and
    /// would report a race in the tests of users.
    private let calls = Locked<[HandlerCall]>([])
    /// Receives an element when there are calls.
    private let added: AsyncStream<Void>.Continuation

    init() {
        let (stream, added) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.added = added
        startHandlerTask(isInline: true) { [calls] in
            for await _ in stream {
                let waiting = calls.withLock { calls in
                    defer { calls = [] }
                    return calls
                }
                for call in waiting { call.start() }
            }
        }
    }

    deinit {
        added.finish()
    }

    /// Runs a handler, beside all others, and returns what cancels it.
    ///
    /// It must not be cancelled on the loading thread: a cancellation handler is code of the user's,
    /// and a `URLSession` call there would end the process.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = HandlerCall(handler)
        calls.withLock { $0.append(call) }
        added.yield()
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
