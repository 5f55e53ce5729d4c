import Foundation

/// A timer with any number of deadlines, each a fixed duration after its start.
///
/// A `CallbackClock` schedules each deadline itself. On any other clock, one sleeping task serves
/// all deadlines. A task for each would cost more than an exchange, and on Linux, the system timer
/// of a cancelled sleep remains until it is due.
final class DeadlineTimer: Sendable {
    private struct Entry: Sendable {
        let deadline: Duration
        let callback: @Sendable () -> Void
    }

    private struct State {
        /// A later entry never has an earlier deadline.
        var pending = RemovableQueue<Entry>()
        var sleeper: (id: Int, task: Task<Void, Never>)?
        var lastSleeper = 0
    }

    private let duration: Duration
    private let timeline: Timeline
    private let state = Locked(State())

    init(_ duration: Duration, on timeline: Timeline) {
        self.duration = duration
        self.timeline = timeline
    }

    deinit {
        state.withLock { $0.sleeper?.task.cancel() }
    }

    /// Starts a deadline, and returns it with a handle that cancels it. Calls `work` once at the
    /// deadline.
    func schedule(
        _ work: @escaping @Sendable () -> Void
    ) -> (deadline: Duration, Cancellation) {
        if let callBack = timeline.callBack {
            let deadline = timeline.now() + duration
            return (deadline, callBack(deadline, work))
        }
        let (id, deadline) = state.withLock { state in
            // The time is read under the lock, so that the deadlines increase.
            let deadline = timeline.now() + duration
            let id = state.pending.append(Entry(deadline: deadline, callback: work))
            if state.sleeper == nil {
                state.lastSleeper += 1
                state.sleeper = (state.lastSleeper, sleeper(state.lastSleeper))
            }
            return (id, deadline)
        }
        return (deadline, Cancellation { [self] in remove(id) })
    }

    /// Removes a deadline. If none is left, also cancels the sleeping task, except in real time.
    private func remove(_ id: Int) {
        let unneeded = state.withLock { state -> Task<Void, Never>? in
            state.pending.remove(id)
            // In real time, the task keeps sleeping, because the next exchange may start soon.
            guard state.pending.isEmpty, !timeline.isRealTime else { return nil }
            defer { state.sleeper = nil }
            return state.sleeper?.task
        }
        unneeded?.cancel()
    }

    /// Starts the task that sleeps until the next deadline.
    ///
    /// The task is detached, because it is not part of an exchange. `self` is weak, so that the
    /// task does not retain a chain of sessions that the app released.
    private func sleeper(_ id: Int) -> Task<Void, Never> {
        Task.detached { [timeline, weak self] in
            while let deadline = self?.nextDeadline(of: id) {
                do {
                    try await timeline.sleep(deadline)
                } catch {
                    // Cancelled, or the clock threw an error. The next exchange starts a new task.
                    self?.end(id)
                    return
                }
                self?.callDue()
            }
        }
    }

    /// Returns the next deadline, or nil if the sleeping task with this id must end.
    private func nextDeadline(of id: Int) -> Duration? {
        state.withLock { state in
            guard state.sleeper?.id == id else { return nil }
            if state.pending.isEmpty { state.sleeper = nil }
            return state.pending.oldest()?.deadline
        }
    }

    private func end(_ id: Int) {
        state.withLock { if $0.sleeper?.id == id { $0.sleeper = nil } }
    }

    /// Calls back for every deadline that has passed, oldest first.
    private func callDue() {
        let due = state.withLock { state in
            let now = timeline.now()
            var due: [Entry] = []
            while let oldest = state.pending.oldest(), oldest.deadline <= now {
                due.append(oldest)
                _ = state.pending.removeOldest()
            }
            return due
        }
        for entry in due { entry.callback() }
    }
}
