import APIKitLite

/// Runs handlers in tasks that have the task-locals of the place where this object was made.
///
/// A failing `#expect` in a handler is therefore attributed to the test that made the network. One
/// task, made with this object, is suspended until a call resumes it on the caller's thread. It then
/// starts the task of the call, which gets its task-locals, on a thread for handlers.
final class Handlers: Sendable {
    private struct Call: Sendable {
        let work: @Sendable () async -> Void
        let slot = TaskSlot()
    }

    private struct State {
        /// The calls that have no task yet. They are handed over here, under the lock, and not
        /// through the continuation: the thread sanitizer does not see the synchronization in one
        /// that is resumed before it suspends, and would report a race in the tests of users.
        var calls: [Call] = []
        /// Resumes the task; nil while it runs. Whoever takes it out of the state resumes it.
        var idle: CheckedContinuation<Void, Never>?
        var isOver = false
    }

    private let state = Locked(State())

    init() {
        startHandlerTask(isInline: true) { [state] in
            while let call = await Self.nextCall(state) {
                call.slot.fill(with: startHandlerTask(call.work))
            }
        }
    }

    deinit {
        let idle = state.withLock { state in
            state.isOver = true
            return state.idle
        }
        idle?.resume()
    }

    /// Runs a handler, beside all others, and returns what cancels it.
    ///
    /// It must not be cancelled on the loading thread: a cancellation handler is code of the user's,
    /// and a `URLSession` call there would end the process.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = Call(work: handler)
        let idle = state.withLock { state in
            state.calls.append(call)
            defer { state.idle = nil }
            return state.idle
        }
        idle?.resume()
        return Cancellation { call.slot.cancel() }
    }

    /// Suspends until there is a call, and returns it; nil after the end of the object.
    private static func nextCall(_ state: Locked<State>) async -> Call? {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.calls.isEmpty, !state.isOver else { return false }
                state.idle = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { $0.calls.isEmpty ? nil : $0.calls.removeFirst() }
    }
}
