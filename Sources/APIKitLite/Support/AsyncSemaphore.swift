import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads.
///
/// Tasks get it in the order in which they arrived.
package final class AsyncSemaphore: Sendable {
    /// The state, which the lock of `state` owns.
    private struct State {
        /// How many more tasks may hold the semaphore now.
        var available: Int
        /// The waiters from `head` on are waiting, except those that were cancelled.
        var queue: [Waiter<Void>] = []
        var head = 0
        /// The number of cancellations since `queue` was compacted.
        var cancelled = 0

        mutating func popFirst() -> Waiter<Void>? {
            guard head < queue.count else { return nil }
            let first = queue[head]
            head += 1
            if head > 64, head > queue.count / 2 { compact() }
            return first
        }

        /// Removes the waiters that have left the queue or were cancelled.
        mutating func compact() {
            queue = queue[head...].filter { !$0.hasEnded }
            (head, cancelled) = (0, 0)
        }
    }

    private let state: Locked<State>

    /// Creates a semaphore.
    ///
    /// - Parameter count: How many tasks may hold it at a time. A number below one counts as one.
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
            // While `available` is above zero, no task waits, because `signal()` prefers waiters.
            guard state.available == 0 else {
                state.available -= 1
                return nil
            }
            let waiter = Waiter<Void>()
            state.queue.append(waiter)
            return waiter
        }
        try await waiter?.value(ifCancelled: .failure(URLError(.cancelled))) { [self] in
            state.withLock { state in
                state.cancelled += 1
                // Compacting is rare, so that a cancellation takes amortized constant time.
                if state.cancelled > 64, state.cancelled > state.queue.count / 2 { state.compact() }
            }
        }
    }

    /// Gives the semaphore to the task that has waited longest, or else makes it available.
    package func signal() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                let next = state.popFirst()
                if next == nil { state.available += 1 }
                return next
            }
            // A cancelled waiter does not take the semaphore: the next one gets it.
            if next?.end(with: .success(())) != false { return }
        }
    }
}
