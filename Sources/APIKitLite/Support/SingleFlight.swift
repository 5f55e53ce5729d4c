import Foundation

/// Work that runs once for all the tasks that wait for it, and ends the same for all of them.
///
/// The work has a task of its own, so it outlives the one that started it. A waiting task may be
/// cancelled; it then leaves at once, alone.
final class SingleFlight<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var result: Result<Value, any Error>?
        var isCancelled = false
        var lastWaiter = 0
        var waiters: [Int: Waiter<Value>] = [:]

        var isOver: Bool { result != nil || isCancelled }

        mutating func add() -> (id: Int, waiter: Waiter<Value>) {
            lastWaiter += 1
            let waiter = Waiter<Value>()
            waiters[lastWaiter] = waiter
            return (lastWaiter, waiter)
        }
    }

    /// What came of an attempt to join.
    enum Joining {
        case joined(Handle)
        /// The work has ended or was cancelled.
        case over
        /// The work waits for what this task does: it would wait for itself.
        case circular
    }

    private let state = Locked(State())
    private let node = WaitNode()
    private let isCancelledWithLastWaiter: Bool

    private init(isCancelledWithLastWaiter: Bool) {
        self.isCancelledWithLastWaiter = isCancelledWithLastWaiter
    }

    /// Makes a singleFlight whose work has not started, and joins it.
    ///
    /// - Parameter isCancelledWithLastWaiter: Whether the work is cancelled as soon as every task
    ///   that waited for it has left.
    static func joined(isCancelledWithLastWaiter: Bool) -> Handle {
        let singleFlight = SingleFlight(isCancelledWithLastWaiter: isCancelledWithLastWaiter)
        let (id, waiter) = singleFlight.state.withLock { $0.add() }
        // Nothing waits for new work yet, so there is no circle.
        let wait = WaitNode.current?.wait(for: singleFlight.node)
        return Handle(singleFlight: singleFlight, id: id, waiter: waiter, wait: wait)
    }

    /// Joins those who wait.
    func join() -> Joining {
        state.withLock { state in
            guard !state.isOver else { return .over }
            var wait: WaitNode.Wait?
            if let current = WaitNode.current {
                wait = current.wait(for: node)
                if wait == nil { return .circular }
            }
            let (id, waiter) = state.add()
            return .joined(Handle(singleFlight: self, id: id, waiter: waiter, wait: wait))
        }
    }

    /// Whether nobody can join any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts the work with the priority and the task-locals of this place. Called once, without a
    /// lock, since the work may begin at once.
    func start(_ work: @escaping @Sendable () async throws -> Value) {
        // A limit outside counts the work as long as it runs, also when its starter has left.
        let permit = Permit.retainCurrent()
        let task = WaitNode.$current.withValue(node) {
            Task.immediateIfAvailable { [self] in
                let result = await Result { try await work() }
                permit?.release()
                end(with: result)
            }
        }
        let isCancelled = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// One task's right to the result. It must be awaited or given up.
    struct Handle: Sendable {
        let singleFlight: SingleFlight
        fileprivate let id: Int
        fileprivate let waiter: Waiter<Value>
        fileprivate let wait: WaitNode.Wait?

        /// Waits for the end of the work.
        ///
        /// - Throws: What the work throws; `URLError.cancelled` at once when this task is
        ///   cancelled.
        func value() async throws -> Value {
            defer { giveUp() }
            return try await waiter.value(ifCancelled: .failure(URLError(.cancelled)))
        }

        /// Leaves without the result.
        func giveUp() {
            wait?.end()
            singleFlight.leave(id)
        }
    }

    private func leave(_ id: Int) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.waiters[id] = nil
            guard isCancelledWithLastWaiter, state.waiters.isEmpty, state.result == nil else {
                return nil
            }
            state.isCancelled = true
            return state.task
        }
        // Not under the lock: cancelling runs whatever the work does about it.
        task?.cancel()
    }

    private func end(with result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.result = result
            state.task = nil
            return state.waiters.values
        }
        for waiter in waiters { waiter.end(with: result) }
    }
}
