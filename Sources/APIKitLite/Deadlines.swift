import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Ends each exchange of a chain that lasts longer than a duration.
///
/// The work runs in a task of its own, since a task group would wait for work that does not heed
/// its cancellation. One patrol serves all exchanges: a sleeper for each would cost more than the
/// exchange, and a system timer goes on until it is due, also when the sleep was cancelled.
///
/// It sleeps on the clock only if exchanges were under way for a whole moment of real time, the
/// grace. So what is answered at once, as most is in a test, leaves no sleeper on a clock that
/// somebody moves.
final class Deadlines: Sendable {
    typealias Answer = (Data, HTTPURLResponse)

    private let duration: Duration
    private let grace: Duration
    private let timeline: Timeline
    private let state = Locked(State())

    /// - Parameter grace: The real time after which an exchange is waited for on the clock.
    init(_ duration: Duration, after grace: Duration, on timeline: Timeline) {
        self.duration = duration.clamped
        self.grace = grace
        self.timeline = timeline
    }

    deinit {
        state.withLock { $0.patrol?.task.cancel() }
    }

    /// Does the work, in a task with the caller's priority and task-locals.
    ///
    /// - Parameter work: Gets the number that `rest(_:)` takes.
    /// - Throws: `URLError.timedOut` at the deadline, `URLError.cancelled` when the caller is
    ///   cancelled: at once, whatever the work does, which is cancelled; else what the work throws.
    func run(_ work: @escaping @Sendable (Int) async throws -> Answer) async throws -> Answer {
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

    /// Sleeps between two pieces of work, until a moment that lies before the deadline. Whoever rests
    /// needs no patrol.
    func rest(_ id: Int, until moment: Duration) async {
        change { $0.rest(id) }
        try? await timeline.sleep(moment)
        // Whoever overslept starts no other piece of work.
        endDue()
        change { $0.goOn(id) }
    }

    /// Starts the time. It is read under the lock, so that deadlines are in the order of the ids.
    private func enter() -> Int {
        change { $0.queue.add(nil, until: timeline.now() + duration) }
    }

    /// Starts the work; false where the time is over or the caller cancelled.
    private func wait(
        _ id: Int, _ continuation: CheckedContinuation<Answer, any Error>,
        _ work: @escaping @Sendable (Int) async throws -> Answer
    ) -> Bool {
        var waiter = Waiter(continuation: continuation)
        guard state.withLock({ $0.queue.replace(id, with: waiter) }) else { return false }
        // Not under the lock: it starts at once, and would wait for the lock when it ends.
        let task = Task { [self] in
            do {
                finish(id, .success(try await work(id)))
            } catch {
                finish(id, .failure(error))
            }
        }
        waiter.work = task
        // Out of the queue by now: it has ended, or is not wanted any more.
        if !state.withLock({ $0.queue.replace(id, with: waiter) }) { task.cancel() }
        return true
    }

    private func finish(_ id: Int, _ result: Result<Answer, any Error>) {
        // Too late is too late, also where the clock was moved beyond before a patrol was on it.
        endDue()
        leave(id)?.continuation.resume(with: result)
    }

    private func leave(_ id: Int) -> Waiter? {
        change { $0.remove(id) }
    }
}

extension Deadlines {
    /// Changes who waits, and sends out a patrol or calls it back as that needs.
    private func change<R>(_ body: (inout State) -> R) -> R {
        let (result, old) = state.withLock { state in
            let old = state.patrol
            let result = body(&state)
            state.update(patrol)
            return (result, state.patrol?.id == old?.id ? nil : old)
        }
        old?.task.cancel()
        return result
    }

    // Detached: it belongs to no exchange. Weak: it must not keep a chain that is gone.
    private func patrol(_ id: Int) -> Task<Void, Never> {
        Task.detached { [timeline, grace, weak self] in
            while let step = self?.nextStep(of: id) {
                do {
                    switch step {
                    case .wait(let limit): await waitWhileFree(grace, atMost: limit)
                    case .sleep(let moment):
                        try await timeline.sleep(moment)
                        self?.endDue()
                    }
                } catch {
                    // Called back, or an error of the clock's own: the next exchange tries again.
                    return self?.state.withLock { $0.forget(id) } ?? ()
                }
            }
        }
    }

    private func nextStep(of id: Int) -> Step? {
        state.withLock { $0.nextStep(of: id, at: timeline.now(), hasGrace: duration > grace) }
    }

    private func endDue() {
        let due = state.withLock { $0.takeDue(at: timeline.now()) }
        for waiter in due { waiter?.end(URLError(.timedOut)) }
    }
}
