import APIKitLite

/// Runs handlers in tasks that have the task-locals of the place where the queue was made.
///
/// A failing `#expect` in a handler is therefore attributed to the test that made the network. Only
/// code that runs in a task passes its task-locals on, so one task is made with the queue; it waits
/// for calls and starts a task for each.
final class HandlerQueue: Sendable {
    private let calls: AsyncStream<HandlerCall>.Continuation

    init() {
        let (stream, calls) = AsyncStream.makeStream(of: HandlerCall.self)
        self.calls = calls
        Self.makeTask {
            for await call in stream { call.start() }
        }
    }

    /// Runs a handler beside those that run already.
    ///
    /// - Returns: What cancels it. Cancelling before it runs means that it never does.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = HandlerCall(handler)
        calls.yield(call)
        return Cancellation { call.cancel() }
    }

    /// Ends the waiting task. Calls that came before run to their end.
    func close() {
        calls.finish()
    }

    /// A task that may block without delaying others, where the system has task executors.
    @discardableResult
    fileprivate static func makeTask(_ work: @escaping @Sendable () async -> Void) -> Task<
        Void, Never
    > {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: HandlerThreads.shared, operation: work)
        } else {
            Task(operation: work)
        }
    }
}

/// One call of a handler.
private final class HandlerCall: Sendable {
    private enum State {
        case waiting(@Sendable () async -> Void)
        case running(Task<Void, Never>)
        case cancelled
    }

    private let state: Locked<State>

    init(_ handler: @escaping @Sendable () async -> Void) {
        state = Locked(.waiting(handler))
    }

    func start() {
        state.withLock { state in
            guard case .waiting(let handler) = state else { return }
            // The handler is released here: it may hold what holds this call.
            state = .running(HandlerQueue.makeTask(handler))
        }
    }

    /// Cancels the handler's task. It must not be called on the loading thread: a cancellation
    /// handler is code of the user's, and a `URLSession` call there would end the process.
    func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            defer { state = .cancelled }
            if case .running(let task) = state { return task }
            return nil
        }
        task?.cancel()
    }
}
