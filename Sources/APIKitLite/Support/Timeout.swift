import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Ends each exchange of a policy that lasts longer than a duration.
///
/// The work runs in a task of its own: a task group would wait for work that ignores its
/// cancellation.
final class Timeout: Sendable {
    typealias Answer = (Data, HTTPURLResponse)

    let duration: Duration
    private let timeline: Timeline
    private let timer: DeadlineTimer

    init(_ duration: Duration, on timeline: Timeline) {
        self.duration = duration.clamped
        self.timeline = timeline
        timer = DeadlineTimer(duration.clamped, on: timeline)
    }

    /// Does the work, in a task with the caller's priority and task-locals.
    ///
    /// - Parameter work: Gets the deadline, on the timeline.
    /// - Throws: `URLError.timedOut` at the deadline, `URLError.cancelled` when the caller is
    ///   cancelled. Both are thrown at once, and the work is cancelled. Otherwise what the work
    ///   throws.
    func run(_ work: @escaping @Sendable (Duration) async throws -> Answer) async throws -> Answer {
        try Task.checkNotCancelled()
        guard duration > .zero else { throw URLError(.timedOut) }
        let waiter = Waiter<Answer>()
        let (deadline, limit) = timer.schedule { waiter.end(with: .failure(URLError(.timedOut))) }
        defer { limit.cancel() }
        // A limit outside counts the work as long as it runs, also after its caller has gone on.
        let permit = Permit.retainCurrent()
        let task = Task.immediateIfAvailable { [timeline] in
            let result = await Result { try await work(deadline) }
            permit?.release()
            // A late answer is late also where the timer's task has not been scheduled yet.
            let isLate = timeline.now() >= deadline
            waiter.end(with: isLate ? .failure(URLError(.timedOut)) : result)
        }
        // Before the caller goes on, so that it never meets work that has not been told.
        defer { task.cancel() }
        return try await waiter.value(ifCancelled: .failure(URLError(.cancelled)))
    }
}
