import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads, in the order of arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var available: Int
        /// Those from `head` on wait, the cancelled among them excepted.
        var queue: [Waiter<Void>] = []
        var head = 0
        var cancelled = 0

        mutating func popFirst() -> Waiter<Void>? {
            guard head < queue.count else { return nil }
            let first = queue[head]
            head += 1
            if head > 64, head > queue.count / 2 { compact() }
            return first
        }

        mutating func compact() {
            queue = queue[head...].filter { !$0.hasEnded }
            (head, cancelled) = (0, 0)
        }
    }

    private let state: Locked<State>

    /// - Parameter count: How many tasks may hold the semaphore at a time. Below one counts as one.
    package init(_ count: Int) {
        state = Locked(State(available: max(count, 1)))
    }

    /// Suspends until the semaphore can be held. Each return must be followed by one ``signal()``.
    ///
    /// - Throws: `URLError.cancelled` if the task is cancelled before; then nothing is held.
    package func wait() async throws {
        try Task.checkNotCancelled()
        let waiter = state.withLock { state -> Waiter<Void>? in
            // While something is available, nobody waits: `signal()` hands it on.
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
                // Amortized over the cancellations, so that each takes constant time.
                if state.cancelled > 64, state.cancelled > state.queue.count / 2 { state.compact() }
            }
        }
    }

    /// Gives the semaphore to the task that has waited longest, or makes it available.
    package func signal() {
        while true {
            let next = state.withLock { state -> Waiter<Void>? in
                let next = state.popFirst()
                if next == nil { state.available += 1 }
                return next
            }
            // A cancelled one does not take it.
            if next?.end(with: .success(())) != false { return }
        }
    }
}
