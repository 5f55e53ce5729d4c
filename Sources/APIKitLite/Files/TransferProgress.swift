import Foundation

/// The `Progress` of one transfer: it gets the counts, and its `cancel()` cancels the transfer.
///
/// Without a `Progress`, every function does nothing but its work.
final class TransferProgress: Sendable {
    private struct State {
        var completed: Int64 = 0
        var total: Int64?
        /// The last count that the `Progress` got.
        var shown: Int64 = 0
        var isCancelled = false
        /// Ends what the transfer waits for.
        var cancelWork: (@Sendable () -> Void)?
    }

    private let progress: Progress?
    private let observer: ProgressObserver?
    private let state = Locked(State())
    /// Held while the `Progress` changes. Recursive, because its observers may cancel.
    private let showing = NSRecursiveLock()

    /// Prepares a `Progress` for a transfer of a file.
    ///
    /// - Parameters:
    ///   - progress: The object to update. Its `cancellationHandler` is replaced. It stays after
    ///     the transfer, without effect: on Linux, it must not change while another thread cancels.
    ///   - operation: What is done with the file. Linux has no constant for an upload, so it is
    ///     nil.
    ///   - file: The file; nil if there is none.
    init(_ progress: Progress?, _ operation: Progress.FileOperationKind?, file: URL?) {
        self.progress = progress
        observer = progress?.userInfo[.observer] as? ProgressObserver
        guard let progress else { return }
        progress.kind = .file
        progress.setUserInfoObject(operation, forKey: .fileOperationKindKey)
        progress.setUserInfoObject(file, forKey: .fileURLKey)
        progress.totalUnitCount = -1
        // Weak: the caller may keep the object for longer than the transfer lasts.
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        if progress.isCancelled { cancel() }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func checkNotCancelled() throws {
        try Task.checkNotCancelled()
        if isCancelled { throw URLError(.cancelled) }
    }

    /// Sets the counts at the start of the transfer, or when it starts over.
    ///
    /// - Parameters:
    ///   - completed: The bytes that need not be transferred any more.
    ///   - total: The bytes of the whole file. If it is nil, the progress is indeterminate.
    func begin(at completed: Int64, of total: Int64?) {
        state.withLock { ($0.completed, $0.total) = (completed, total) }
        show()
    }

    func add(_ count: Int) {
        change { $0 += Int64(count) }
    }

    /// Sets the number of transferred bytes. It is smaller than before if a body is sent again.
    func reach(_ count: Int) {
        change { $0 = Int64(count) }
    }

    /// Changes the number of transferred bytes. The `Progress` changes with each hundredth, because
    /// its observers may be slower than the transfer.
    private func change(_ body: (inout Int64) -> Void) {
        let isVisible = state.withLock { state in
            body(&state.completed)
            let step = (state.total ?? state.completed) / 100
            return abs(state.completed - state.shown) > step || state.completed == state.total
        }
        if isVisible { show() }
    }

    /// Marks the transfer as complete, even if its length was unknown.
    func complete() {
        state.withLock { $0.total = $0.completed }
        show()
    }

    /// Runs work that is cancelled with the `Progress` or with the caller's task.
    ///
    /// - Parameter work: The work. It runs in a task with the caller's priority and task-locals.
    /// - Throws: The error of the work; `URLError.cancelled` if the transfer was cancelled before.
    nonisolated(nonsending)
        func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R
    {
        try checkNotCancelled()
        guard progress != nil else { return try await work() }
        let task = Task { try await work() }
        onCancel { task.cancel() }
        defer { state.withLock { $0.cancelWork = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Sets what the `Progress` cancels from now on. If it was cancelled before, cancels that.
    func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancelWork = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    private func cancel() {
        let cancelWork = state.withLock { state in
            state.isCancelled = true
            return state.cancelWork
        }
        cancelWork?()
    }

    private func show() {
        guard let progress else { return }
        showing.lock()
        defer { showing.unlock() }
        let (completed, total) = state.withLock { state in
            state.shown = state.completed
            return (state.completed, state.total ?? -1)
        }
        // Not under the lock of the state: observers are called immediately, and may cancel.
        if progress.totalUnitCount != total { progress.totalUnitCount = total }
        progress.completedUnitCount = completed
        observer?.onChange(progress)
    }
}

private struct ProgressObserver {
    let onChange: @Sendable (Progress) -> Void
}

extension ProgressUserInfoKey {
    fileprivate static let observer = ProgressUserInfoKey("APIKitLite.observer")
}

extension Progress {
    /// Creates a progress for one transfer, which calls a closure with each of its changes.
    ///
    /// ```swift
    /// let progress = Progress { print($0.fractionCompleted) }
    /// try await session.download(request, to: file, progress: progress)
    /// ```
    ///
    /// Foundation on Linux has no key-value observing, and other threads must not read a
    /// `Progress` that changes. The closure may read it.
    ///
    /// - Parameter onChange: Receives this progress at the start, after each hundredth of the
    ///   bytes, and at the end: `completedUnitCount` of `totalUnitCount` bytes. The calls come from
    ///   any thread, one at a time and in order. The transfer continues when it returns.
    public convenience init(onChange: @escaping @Sendable (Progress) -> Void) {
        self.init(totalUnitCount: -1)
        setUserInfoObject(ProgressObserver(onChange: onChange), forKey: .observer)
    }
}
