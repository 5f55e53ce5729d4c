import Foundation

/// The `Progress` of one transfer: it gets the counts, the speed and the remaining time, and its
/// `cancel()` cancels the transfer.
///
/// Without a `Progress`, every function does nothing but its work.
final class TransferProgress: Sendable {
    private struct State {
        var completed: Int64 = 0
        var total: Int64?
        var rate = TransferRate()
        var isCancelled = false
        /// Cancels the task that `run` waits for.
        var cancelWork: (@Sendable () -> Void)?
    }

    private let progress: Progress?
    private let timeline: Timeline
    private let state = Locked(State())

    /// Prepares a `Progress` for a transfer of a file.
    ///
    /// - Parameters:
    ///   - progress: The object to update. Its `cancellationHandler` is replaced. It stays after
    ///     the transfer, without effect: on Linux, it must not change while another thread cancels.
    ///   - operation: What is done with the file. Linux has no constant for an upload, so it is nil.
    ///   - file: The file; nil if there is none.
    ///   - clock: The clock that measures the speed.
    init(
        _ progress: Progress?, _ operation: Progress.FileOperationKind?, file: URL?,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.progress = progress
        timeline = Timeline(clock)
        guard let progress else { return }
        progress.kind = .file
        progress.setUserInfoObject(operation, forKey: .fileOperationKindKey)
        progress.setUserInfoObject(file, forKey: .fileURLKey)
        progress.totalUnitCount = -1
        // Weak: the caller may keep the object for longer than the transfer lasts.
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        if progress.isCancelled { cancel() }
    }

    /// Whether the `Progress` was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } || progress?.isCancelled == true }

    /// Sets the counts at the start of the transfer, or when it starts over.
    ///
    /// - Parameters:
    ///   - completed: The bytes that need not be transferred any more.
    ///   - total: The bytes of the whole file. If it is `nil`, the progress is indeterminate.
    func begin(at completed: Int64, of total: Int64?) {
        update { state in
            state.completed = completed
            state.total = total
            state.rate = TransferRate()
            state.rate.note(completed, at: timeline.now())
        }
    }

    /// Adds transferred bytes.
    func add(_ count: Int) {
        update { state in
            state.completed += Int64(count)
            state.rate.note(state.completed, at: timeline.now())
        }
    }

    /// Sets the number of transferred bytes. It is smaller than before if a body is sent again.
    func reach(_ count: Int) {
        update { state in
            state.completed = Int64(count)
            state.rate.note(state.completed, at: timeline.now())
        }
    }

    /// Marks the transfer as complete, also if its length was unknown.
    func complete() {
        update { $0.total = $0.completed }
    }

    /// Runs work that is cancelled with the `Progress` or with the caller's task.
    ///
    /// - Parameter work: The work. It runs in a task with the caller's priority and task-locals.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work; `URLError.cancelled` if the transfer was cancelled before.
    nonisolated(nonsending)
        func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R
    {
        try Task.checkNotCancelled()
        guard progress != nil else { return try await work() }
        if isCancelled { throw URLError(.cancelled) }
        let task = Task { try await work() }
        let isCancelled = state.withLock { state in
            state.cancelWork = { task.cancel() }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        defer { state.withLock { $0.cancelWork = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func cancel() {
        let cancelWork = state.withLock { state in
            state.isCancelled = true
            return state.cancelWork
        }
        cancelWork?()
    }

    /// Changes the state and shows it.
    private func update(_ change: (inout State) -> Void) {
        guard let progress else { return }
        let state = state.withLock { state in
            change(&state)
            return state
        }
        // Not under the lock: observers are called at once, and may cancel.
        let total = state.total ?? -1
        if progress.totalUnitCount != total { progress.totalUnitCount = total }
        progress.completedUnitCount = state.completed
        let speed = state.rate.bytesPerSecond.map { Int($0) }
        progress.setUserInfoObject(speed, forKey: .throughputKey)
        let seconds = state.total.flatMap { state.rate.secondsRemaining(of: $0) }
        progress.setUserInfoObject(seconds, forKey: .estimatedTimeRemainingKey)
    }
}
