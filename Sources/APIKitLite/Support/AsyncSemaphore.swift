import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads.
///
/// Tasks acquire the semaphore in order of arrival.
final class AsyncSemaphore: Sendable {
    private struct State {
        /// The number of tasks that can still acquire the semaphore. While it is positive, no task
        /// waits.
        var available: Int
        var promises = RemovableQueue<Promise<Void>>()
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
        let place = state.withLock { state -> (promise: Promise<Void>, number: Int)? in
            guard state.available == 0 else {
                state.available -= 1
                return nil
            }
            let promise = Promise<Void>()
            return (promise, state.promises.append(promise))
        }
        guard let (promise, number) = place else { return }
        try await promise.value(ifCancelled: .failure(URLError(.cancelled))) { [self] in
            state.withLock { $0.promises.remove(number) }
        }
    }

    /// Passes the semaphore to the task that has been waiting longest, or makes it available.
    func signal() {
        while true {
            let next = state.withLock { state -> Promise<Void>? in
                let next = state.promises.removeOldest()
                if next == nil { state.available += 1 }
                return next
            }
            // A cancelled task does not acquire the semaphore, so the next one does.
            if next?.resolve(with: .success(())) != false { return }
        }
    }
}
