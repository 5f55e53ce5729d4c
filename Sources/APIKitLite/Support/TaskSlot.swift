/// A task that may be cancelled before it exists. The lock of `state` owns it.
final class TaskSlot: Sendable {
    private enum State {
        case empty
        case filled(Task<Void, Never>)
        case cancelled
    }

    private let state = Locked(State.empty)

    /// Stores the task, once. If `cancel()` was called before, cancels the task.
    func fill(with task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .filled(task)
            return false
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task, now or when it is stored.
    func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            defer { state = .cancelled }
            if case .filled(let task) = state { return task }
            return nil
        }
        // Not under the lock, because this runs the cancellation handlers of the work.
        task?.cancel()
    }
}
