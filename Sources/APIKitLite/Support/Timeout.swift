import Foundation

/// The time limit of a policy, which ends each exchange that takes longer.
///
/// The work runs in a task of its own, because a task group would wait for work that ignores its
/// cancellation.
final class Timeout: Sendable {
    typealias Answer = (Data, HTTPURLResponse)

    let duration: Duration
    private let timeline: Timeline
    private let timer: DeadlineTimer

    /// Creates a limit. The duration is limited to the range from zero to `Duration.forever`.
    init(_ duration: Duration, on timeline: Timeline) {
        self.duration = duration.clamped
        self.timeline = timeline
        timer = DeadlineTimer(duration.clamped, on: timeline)
    }

    /// Runs the work in a task with the caller's priority and task-locals, and returns its result.
    ///
    /// - Parameter work: The work. Its argument is the deadline on the timeline.
    /// - Throws: `URLError.timedOut` at the deadline, or `URLError.cancelled` if the caller is
    ///   cancelled. Both are thrown at once, and the work is cancelled. Otherwise, the error of the
    ///   work.
    func run(_ work: @escaping @Sendable (Duration) async throws -> Answer) async throws -> Answer {
        try Task.checkNotCancelled()
        guard duration > .zero else { throw URLError(.timedOut) }
        let waiter = Waiter<Answer>()
        // A limit ends the work at once, not when the caller runs again: until then, the work would
        // seem to be wanted still.
        let running = TaskSlot()
        let (deadline, limit) = timer.schedule {
            waiter.end(with: .failure(URLError(.timedOut)))
            running.cancel()
        }
        defer { limit.cancel() }
        // An outer limit counts the work as long as it runs, even if its caller no longer waits.
        let permit = Permit.retainCurrent()
        let task = Task.immediateIfAvailable { [timeline] in
            let result = await Result { try await work(deadline) }
            permit?.release()
            // A late response is refused even if the timer's task has not run yet.
            let isLate = timeline.now() >= deadline
            waiter.end(with: isLate ? .failure(URLError(.timedOut)) : result)
        }
        running.fill(with: task)
        // Before this returns, so that any work that continues afterwards is already cancelled.
        defer { task.cancel() }
        return try await waiter.value(ifCancelled: .failure(URLError(.cancelled))) {
            task.cancel()
        }
    }
}
