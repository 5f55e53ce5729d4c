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
        /// The calls that came while the task started another one.
        var calls: [Call] = []
        /// Resumes the task; nil while it runs. Whoever takes it out of the state resumes it.
        var idle: CheckedContinuation<Call?, Never>?
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
        idle?.resume(returning: nil)
    }

    /// Runs a handler, beside all others, and returns what cancels it.
    ///
    /// It must not be cancelled on the loading thread: a cancellation handler is code of the user's,
    /// and a `URLSession` call there would end the process.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = Call(work: handler)
        let idle = state.withLock { state in
            if state.idle == nil { state.calls.append(call) }
            defer { state.idle = nil }
            return state.idle
        }
        idle?.resume(returning: call)
        return Cancellation { call.slot.cancel() }
    }

    private static func nextCall(_ state: Locked<State>) async -> Call? {
        await withCheckedContinuation { continuation in
            let next = state.withLock { state -> Call?? in
                if !state.calls.isEmpty { return state.calls.removeFirst() }
                if state.isOver { return .some(nil) }
                state.idle = continuation
                return nil
            }
            if let next { continuation.resume(returning: next) }
        }
    }
}
