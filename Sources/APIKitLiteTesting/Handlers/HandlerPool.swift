import APIKitLite
import Foundation

/// Runs handlers in tasks that have the task-locals of the place where the pool was made.
///
/// A failing `#expect` in a handler is therefore attributed to the test that made the network. Only
/// code that runs in a task passes its task-locals on. So the first task, a runner, is made with the
/// pool and waits for calls. A runner that takes a call while no other runner waits makes the next
/// runner first. Runners are used again, because a new task for each call costs 4 µs more.
final class HandlerPool: Sendable {
    private struct State {
        var waiting: [Runner] = []
        var calls: [HandlerCall] = []
        var nextCall = 0
        var isRunnerComing = true
        var isClosed = false

        mutating func takeCall() -> HandlerCall? {
            guard nextCall < calls.count else { return nil }
            defer {
                nextCall += 1
                if nextCall == calls.count {
                    calls.removeAll(keepingCapacity: nextCall < 1024)
                    nextCall = 0
                }
            }
            return calls[nextCall]
        }

        mutating func needsRunner() -> Bool {
            guard waiting.isEmpty, !isRunnerComing else { return false }
            isRunnerComing = true
            return true
        }
    }

    private static let mostWaiting = 64
    private let state = Locked(State())

    init() {
        makeRunner()
    }

    /// Runs a handler as soon as a runner is free, and returns what cancels it.
    func start(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let call = HandlerCall(handler)
        submit(call)
        return Cancellation { call.cancel() }
    }

    /// Starts a call as soon as a runner is free; calls do not wait for each other.
    func submit(_ call: HandlerCall) {
        let runner = state.withLock { state -> Runner? in
            guard let runner = state.waiting.popLast() else {
                state.calls.append(call)
                return nil
            }
            runner.order = Order(call: call, makesRunner: state.needsRunner())
            return runner
        }
        runner?.wake()
    }

    /// Ends the waiting runners. Calls that were submitted before run to their end.
    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isClosed = true
            return state.waiting
        }
        for runner in waiting { runner.wake() }
    }

    private func makeRunner() {
        let runner = Runner()
        let work: @Sendable () async -> Void = { [self] in await run(runner) }
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            runner.attach(Task(executorPreference: HandlerThreads.shared, operation: work))
        } else {
            runner.attach(Task(operation: work))
        }
    }

    private func run(_ runner: Runner) async {
        state.withLock { _ in runner.isNew = true }
        while let order = await nextOrder(for: runner) {
            if order.makesRunner { makeRunner() }
            await order.call.run(in: runner)
            // A cancelled task stays cancelled: it cannot take another call.
            if runner.isCancelled {
                if state.withLock({ $0.needsRunner() }) { makeRunner() }
                return
            }
        }
    }

    /// Returns the next call for a runner, after waiting for one; nil if the runner has to end.
    ///
    /// The order is passed in the runner, under the lock, which the thread sanitizer understands.
    private func nextOrder(for runner: Runner) async -> Order? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                if runner.isNew {
                    runner.isNew = false
                    state.isRunnerComing = false
                }
                if let call = state.takeCall() {
                    runner.order = Order(call: call, makesRunner: state.needsRunner())
                    return false
                }
                guard !state.isClosed, state.waiting.count < Self.mostWaiting else { return false }
                runner.continuation = continuation
                state.waiting.append(runner)
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { _ in
            defer { runner.order = nil }
            return runner.order
        }
    }
}

extension HandlerPool {
    fileprivate struct Order {
        let call: HandlerCall
        let makesRunner: Bool
    }

    /// One task of the pool.
    fileprivate final class Runner: @unchecked Sendable {
        // Only under the pool's lock; `continuation` also by the one that took the runner out.
        var order: Order?
        var isNew = false
        var continuation: CheckedContinuation<Void, Never>?

        private let task = Locked<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

        var isCancelled: Bool { task.withLock { $0.isCancelled } }

        func wake() {
            continuation?.resume()
        }

        func attach(_ task: Task<Void, Never>) {
            let isCancelled = self.task.withLock {
                $0.task = task
                return $0.isCancelled
            }
            if isCancelled { task.cancel() }
        }

        /// Marks the runner as cancelled, and returns its task, which the caller then cancels.
        func retire() -> Task<Void, Never>? {
            task.withLock {
                $0.isCancelled = true
                return $0.task
            }
        }
    }
}

/// One call of a handler, which can be cancelled.
final class HandlerCall: Sendable {
    private enum State {
        /// The body is released when it starts: it may retain what retains this call.
        case waiting(body: @Sendable () async -> Void)
        case running(HandlerPool.Runner)
        case over
    }

    private let state: Locked<State>

    init(_ body: @escaping @Sendable () async -> Void) {
        state = Locked(.waiting(body: body))
    }

    fileprivate func run(in runner: HandlerPool.Runner) async {
        let body = state.withLock { state -> (@Sendable () async -> Void)? in
            guard case .waiting(let body) = state else { return nil }
            state = .running(runner)
            return body
        }
        guard let body else { return }
        await body()
        state.withLock { $0 = .over }
    }

    /// Cancels the handler's task. It must not be called on the loading thread: a cancellation
    /// handler is code of the user's, and a `URLSession` call there would end the process.
    func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            defer { state = .over }
            guard case .running(let runner) = state else { return nil }
            // Under the lock: afterwards the runner might have taken another call.
            return runner.retire()
        }
        task?.cancel()
    }
}
