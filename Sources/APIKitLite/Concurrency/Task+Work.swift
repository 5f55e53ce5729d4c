import Foundation

extension Task where Success == Void, Failure == Never {
    /// Starts a task, on the caller's thread on Linux and on Apple platforms from version 26.
    ///
    /// On these systems, work that does not suspend finishes before this function returns, without
    /// waking another thread. The caller must not hold a lock. The task has the caller's priority
    /// and task-locals.
    @discardableResult
    static func immediateIfAvailable(
        _ work: @escaping @Sendable () async -> Void
    ) -> Task {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate(operation: work)
        } else {
            Task(operation: work)
        }
    }
}

extension Result where Failure == any Error {
    package init(of work: () async throws -> sending Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Throws `URLError.cancelled` if the task is cancelled.
    ///
    /// Foundation throws the same error for a cancelled exchange, so callers see only one kind of
    /// cancellation error.
    package static func checkNotCancelled() throws {
        if isCancelled { throw URLError(.cancelled) }
    }
}

/// A slot for one task. The slot can be cancelled before it holds the task.
package final class TaskSlot: Sendable {
    private let state = Locked<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    package init() {}

    /// Stores the slot's only task. If `cancel()` was already called, cancels the task.
    package func fill(with task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Suspends until the stored task, if any, has ended, even if the caller is cancelled.
    func ended() async {
        await state.withLock { $0.task }?.value
    }

    package func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        // The lock is not held here, because `cancel()` runs the work's cancellation handlers.
        task?.cancel()
    }
}
