import Foundation

/// The ``SingleFlight`` work that the current task is part of.
enum SharedWork {
    fileprivate typealias Work = (owner: ObjectIdentifier?, hasEnded: @Sendable () -> Bool)

    @TaskLocal fileprivate static var works: [Work] = []

    /// Whether other tasks may be waiting for the current task. If so, the current task must not
    /// wait for the work of those tasks.
    static var isRunning: Bool { works.contains { !$0.hasEnded() } }

    /// Whether the current task is part of the work of one of these objects.
    static func isRunning(for owners: AnyObject...) -> Bool {
        works.contains { work in
            owners.contains { ObjectIdentifier($0) == work.owner } && !work.hasEnded()
        }
    }
}

/// Work that runs once for all tasks waiting for it. All these tasks receive the same result.
///
/// The work has its own task, and can continue if the starting task stops waiting. If a waiting
/// task is cancelled, the other tasks keep waiting. The cancelled task stops waiting immediately,
/// unless its cancellation also cancels the work.
final class SingleFlight<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var isCancelled = false
        /// The promises of the waiting tasks. Each task's handle also retains the task's promise.
        var promises: [ObjectIdentifier: Promise<Value>] = [:]

        var isOver: Bool { result != nil || isCancelled }
    }

    private let state = Locked(State())
    private let running = TaskSlot()
    private let isCancelledWithLastTask: Bool

    private init(isCancelledWithLastTask: Bool) {
        self.isCancelledWithLastTask = isCancelledWithLastTask
    }

    /// Joins the work that a variable holds. If the variable holds no work, or the work has ended
    /// or was cancelled, stores new work in the variable, which the handle starts.
    ///
    /// - Parameter isCancelledWithLastTask: Whether new work is cancelled as soon as the last task
    ///   waiting for it leaves.
    static func join(
        _ variable: inout SingleFlight?, isCancelledWithLastTask: Bool = false
    ) -> Handle {
        if let handle = variable?.join(isNew: false) { return handle }
        let new = SingleFlight(isCancelledWithLastTask: isCancelledWithLastTask)
        variable = new
        // Joining fails only if the work is over.
        return new.join(isNew: true)!
    }

    /// Adds a waiting task. Returns nil if the work has ended or was cancelled.
    private func join(isNew: Bool) -> Handle? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            let promise = Promise<Value>()
            state.promises[ObjectIdentifier(promise)] = promise
            return Handle(singleFlight: self, promise: promise, isNew: isNew)
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts the work with the caller's priority and task-locals.
    private func start(
        for owner: AnyObject?, _ work: @escaping @Sendable () async throws -> Value
    ) {
        let new: SharedWork.Work = (
            owner.map(ObjectIdentifier.init), { [weak self] in self?.isOver != false }
        )
        let task = SharedWork.$works.withValue(SharedWork.works + [new]) {
            Task.immediateIfAvailable { [self] in
                end(with: await Result { try await work() })
            }
        }
        running.fill(with: task)
    }

    /// A handle to the shared result. Every handle must be awaited.
    struct Handle: Sendable {
        let singleFlight: SingleFlight
        fileprivate let promise: Promise<Value>
        fileprivate let isNew: Bool

        /// Starts the work if it is new, and suspends until the work ends, `release()` is called or
        /// the task is cancelled. If the cancellation also cancels the work, waits for its end, as
        /// if the work ran in this task.
        ///
        /// The caller must not hold a lock, because the work may begin in this task.
        ///
        /// - Parameter owner: The object whose work this is: see ``SharedWork/isRunning(for:)``.
        /// - Throws: Any error thrown by the work, or `URLError.cancelled` if the task is
        ///   cancelled.
        func value(
            for owner: AnyObject? = nil, _ work: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            if isNew { singleFlight.start(for: owner, work) }
            defer { singleFlight.leave(promise) }
            do {
                // A cancelled task leaves immediately, so unwanted work is cancelled before this
                // task runs again.
                return try await promise.value(ifCancelled: .failure(URLError(.cancelled))) {
                    singleFlight.leave(promise)
                }
            } catch {
                let isUnwanted = singleFlight.state.withLock { $0.isCancelled }
                if isUnwanted { await singleFlight.running.ended() }
                throw error
            }
        }
    }

    /// Removes a task, if it is still waiting. If no other task is waiting and
    /// `isCancelledWithLastTask` is true, cancels the work, unless the work has ended.
    private func leave(_ promise: Promise<Value>) {
        let isUnwanted = state.withLock { state in
            state.promises[ObjectIdentifier(promise)] = nil
            guard isCancelledWithLastTask, state.promises.isEmpty, state.result == nil else {
                return false
            }
            state.isCancelled = true
            return true
        }
        if isUnwanted { running.cancel() }
    }

    private func end(with result: Result<Value, any Error>) {
        let promises = state.withLock { state in
            state.result = result
            return state.promises.values
        }
        for promise in promises { promise.resolve(with: result) }
    }
}

extension SingleFlight where Value == Void {
    /// Resumes all waiting tasks before the work has ended.
    func release() {
        let promises = state.withLock { $0.promises.values }
        for promise in promises { promise.resolve(with: .success(())) }
    }
}
