import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Ends each exchange of a chain that lasts longer than a duration.
///
/// The work runs in a task of its own, since a task group would wait for work that does not heed
/// its cancellation. One sleeper serves all exchanges: a sleep for each would cost more than the
/// exchange, and a system timer goes on until it is due, also when the sleep was cancelled.
final class Deadlines: Sendable {
    typealias Answer = (Data, HTTPURLResponse)

    private struct Waiter {
        let continuation: CheckedContinuation<Answer, any Error>
        let work: Task<Void, Never>

        func end(_ error: any Error) {
            // Before the caller goes on, so that it never meets work that has not been told.
            work.cancel()
            continuation.resume(throwing: error)
        }
    }

    private struct State {
        /// Nil for an exchange whose caller does not wait yet.
        var queue = DeadlineQueue<Waiter?>()
        /// Sleeps until the first deadline; it ends when it wakes and nobody waits.
        var sleeper: Task<Void, Never>?
    }

    private let duration: Duration
    private let timeline: Timeline
    private let state = Locked(State())

    init(_ duration: Duration, _ timeline: Timeline) {
        self.duration = duration.clamped
        self.timeline = timeline
    }

    deinit {
        state.withLock { $0.sleeper?.cancel() }
    }

    /// Does the work, in a task with the caller's priority and task-locals.
    ///
    /// - Throws: `URLError.timedOut` at the deadline, `URLError.cancelled` when the caller is
    ///   cancelled: at once, whatever the work does, which is cancelled; else what the work throws.
    func run(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try Task.checkNotCancelled()
        guard duration > .zero else { throw URLError(.timedOut) }
        let id = enter()
        return try await withTaskCancellationHandler {
            // Whoever takes the waiter out of the queue resumes it: so once. One that is out before
            // its caller waits is resumed here.
            try await withCheckedThrowingContinuation { continuation in
                guard !wait(id, continuation, work) else { return }
                continuation.resume(throwing: URLError(Task.isCancelled ? .cancelled : .timedOut))
            }
        } onCancel: {
            leave(id)?.end(URLError(.cancelled))
        }
    }

    /// Starts the time. It is read under the lock, so that deadlines are in the order of the ids.
    private func enter() -> Int {
        state.withLock { state in
            let deadline = timeline.now() + duration
            if state.sleeper == nil { state.sleeper = sleeper(until: deadline) }
            return state.queue.add(nil, until: deadline)
        }
    }

    /// Starts the work; false where the time is over or the caller cancelled.
    private func wait(
        _ id: Int, _ continuation: CheckedContinuation<Answer, any Error>,
        _ work: @escaping @Sendable () async throws -> Answer
    ) -> Bool {
        state.withLock { state in
            state.queue.replace(
                id,
                with: Waiter(
                    continuation: continuation,
                    work: Task { [self] in
                        do {
                            let answer = try await work()
                            leave(id)?.continuation.resume(returning: answer)
                        } catch {
                            leave(id)?.continuation.resume(throwing: error)
                        }
                    }))
        }
    }

    private func leave(_ id: Int) -> Waiter? {
        state.withLock { $0.queue.remove(id) } ?? nil
    }

    // Detached: it belongs to no exchange. Weak: it must not keep a chain that is gone.
    private func sleeper(until first: Duration) -> Task<Void, Never> {
        Task.detached { [timeline, weak self] in
            var next: Duration? = first
            while let moment = next {
                do {
                    try await timeline.sleep(moment)
                    next = self?.endDue()
                } catch {
                    self?.forgetSleeper()
                    return
                }
            }
        }
    }

    /// After a clock's own error: the next exchange tries again.
    private func forgetSleeper() {
        state.withLock { $0.sleeper = nil }
    }

    /// - Returns: The next deadline.
    private func endDue() -> Duration? {
        let (due, next) = state.withLock { state in
            let due = state.queue.takeDue(at: timeline.now())
            if state.queue.next == nil { state.sleeper = nil }
            return (due, state.queue.next)
        }
        for waiter in due { waiter?.end(URLError(.timedOut)) }
        return next
    }
}
