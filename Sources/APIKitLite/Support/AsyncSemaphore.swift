import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads.
///
/// Tasks get it in the order in which they arrived.
package final class AsyncSemaphore: Sendable {
    private struct State {
        /// How many more tasks may hold the semaphore now. While it is above zero, no task waits.
        var available: Int
        var waiters: [Waiter<Void>] = []
    }

    private let state: Locked<State>

    package init(_ count: Int) {
        state = Locked(State(available: max(count, 1)))
    }

    /// Suspends until the caller holds the semaphore. The caller must then call `signal()` once.
    ///
    /// - Throws: `URLError.cancelled` if the task is cancelled before. The caller then holds
    ///   nothing.
    package func wait() async throws {
        try Task.checkNotCancelled()
        let waiter = state.withLock { state -> Waiter<Void>? in
            guard state.available == 0 else {
                state.available -= 1
                return nil
            }
            let waiter = Waiter<Void>()
            state.waiters.append(waiter)
            return waiter
        }
        try await waiter?.value(ifCancelled: .failure(URLError(.cancelled))) { [self] in
            state.withLock { $0.waiters.removeAll { $0 === waiter } }
        }
    }

    /// Gives the semaphore to the task that has waited longest, or else makes it available.
    package func signal() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
                state.available += 1
                return nil
            }
            // A cancelled waiter does not take the semaphore: the next one gets it.
            if next?.end(with: .success(())) != false { return }
        }
    }
}
