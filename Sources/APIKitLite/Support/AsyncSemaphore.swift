import Foundation

/// A counting semaphore that suspends tasks instead of blocking threads.
///
/// Tasks acquire the semaphore in order of arrival.
final class AsyncSemaphore: Sendable {
    private struct State {
        /// The number of tasks that can still acquire the semaphore. While it is positive, no task
        /// waits.
        var available: Int
        /// The tasks that are waiting, and those that were cancelled while they waited.
        var promises: [Promise<Void>] = []
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
        let promise = state.withLock { state -> Promise<Void>? in
            guard state.available == 0 else {
                state.available -= 1
                return nil
            }
            state.promises.append(Promise())
            return state.promises.last
        }
        try await promise?.value(ifCancelled: .failure(URLError(.cancelled)))
    }

    /// Passes the semaphore to the task that has been waiting longest, or makes it available.
    func signal() {
        while true {
            let next = state.withLock { state -> Promise<Void>? in
                if state.promises.isEmpty {
                    state.available += 1
                    return nil
                }
                return state.promises.removeFirst()
            }
            // A cancelled task does not acquire the semaphore, so the next one does.
            if next?.resolve(with: .success(())) != false { return }
        }
    }
}
