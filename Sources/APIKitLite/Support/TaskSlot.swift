/// A task that may be cancelled before it exists.
package final class TaskSlot: Sendable {
    private let state = Locked<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    package init() {}

    /// Stores the task. If `cancel()` was already called, cancels it. Call this once.
    package func fill(with task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    package func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        // Not under the lock, because this runs the work's cancellation handlers.
        task?.cancel()
    }
}
