import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads.
///
/// Tasks acquire the semaphore in order of arrival.
final class AsyncSemaphore: Sendable {
    private struct State {
        /// The number of tasks that can acquire the semaphore without waiting.
        var available: Int
        /// The promises of the waiting tasks, keyed by the tasks' numbers.
        var waiting: [Int: Promise<Void>] = [:]
        /// The number at which `signal()` begins its search for a waiting task. No waiting task has
        /// a lower number.
        var first = 0
        /// The number of the next task that must wait.
        var next = 0
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(available: max(count, 1)))
    }

    /// Suspends until the caller holds the semaphore. The caller must then call `signal()` once.
    ///
    /// - Throws: `URLError.cancelled` if the task is cancelled before it holds the semaphore.
    func wait() async throws {
        try Task.checkNotCancelled()
        guard let (number, promise) = enter() else { return }
        try await promise.value(ifCancelled: .failure(URLError(.cancelled))) { [state] in
            state.withLock { $0.waiting[number] = nil }
        }
    }

    /// Suspends until the caller holds the semaphore, even if the task is cancelled.
    func waitEvenIfCancelled() async {
        // The promise never fails.
        try? await enter()?.promise.value()
    }

    /// The number of tasks that are waiting.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Acquires the semaphore, or returns the caller's number and the promise that the caller must
    /// await.
    private func enter() -> (number: Int, promise: Promise<Void>)? {
        state.withLock { state in
            guard state.available == 0 else {
                state.available -= 1
                return nil
            }
            let (number, promise) = (state.next, Promise<Void>())
            state.waiting[number] = promise
            state.next += 1
            return (number, promise)
        }
    }

    /// Passes the semaphore to the task that has waited longest. If no task waits, makes the
    /// semaphore available to one more task.
    func signal() {
        while true {
            let next = state.withLock { state -> Promise<Void>? in
                while state.first < state.next {
                    state.first += 1
                    if let next = state.waiting.removeValue(forKey: state.first - 1) { return next }
                }
                state.available += 1
                return nil
            }
            // A task that was cancelled just now does not acquire the semaphore, so the next task
            // acquires it.
            if next?.resolve(with: .success(())) != false { return }
        }
    }
}
