import Foundation

/// A timer that calls each closure at a deadline: a fixed duration after it is scheduled.
///
/// A `CallbackClock` schedules each deadline itself. On any other clock, one sleeping task serves
/// all deadlines. A task for each deadline would cost more than an exchange, and on Linux, the
/// system timer of a cancelled sleep remains until it is due.
final class DeadlineTimer: Sendable {
    private struct State {
        var pending: [Int: (deadline: Duration, work: @Sendable () -> Void)] = [:]
        var lastID = 0
        var sleeper: Task<Void, Never>?
    }

    private let duration: Duration
    private let timeline: Timeline
    private let state = Locked(State())

    init(_ duration: Duration, on timeline: Timeline) {
        self.duration = duration
        self.timeline = timeline
    }

    deinit {
        state.withLock { $0.sleeper?.cancel() }
    }

    /// Schedules a call of `work` at a new deadline, and returns the deadline, with a function that
    /// cancels the call.
    func schedule(
        _ work: @escaping @Sendable () -> Void
    ) -> (deadline: Duration, cancel: @Sendable () -> Void) {
        if let callBack = timeline.callBack {
            let deadline = timeline.now() + duration
            return (deadline, callBack(deadline, work))
        }
        return state.withLock { state in
            // The lock keeps the deadlines in order, because the task sleeps until the first one.
            let deadline = timeline.now() + duration
            state.lastID += 1
            state.pending[state.lastID] = (deadline, work)
            state.sleeper = state.sleeper ?? sleeper()
            return (deadline, { [self, id = state.lastID] in remove(id) })
        }
    }

    /// Removes a deadline. If no deadline is left, also cancels the sleeping task, unless the clock
    /// runs in real time.
    private func remove(_ id: Int) {
        let unneeded = state.withLock { state in
            state.pending[id] = nil
            // On a real-time clock, the task keeps sleeping, because the next exchange may start
            // soon.
            return state.pending.isEmpty && !timeline.isRealTime ? state.sleeper : nil
        }
        unneeded?.cancel()
    }

    /// Starts the task that sleeps until the next deadline.
    ///
    /// The task is detached, because it is not part of an exchange. `self` is weak, so that the
    /// task does not retain the timer of a chain of sessions that the app released.
    private func sleeper() -> Task<Void, Never> {
        Task.detached { [timeline, weak self] in
            while let deadline = self?.callDue() {
                guard (try? await timeline.sleep(deadline)) != nil else {
                    self?.endSleep()
                    return
                }
            }
        }
    }

    /// Forgets a sleeping task that was cancelled, or whose clock threw an error. If a deadline was
    /// added since the cancellation, starts a new task. After an error, `schedule` starts one.
    private func endSleep() {
        state.withLock { $0.sleeper = Task.isCancelled && !$0.pending.isEmpty ? sleeper() : nil }
    }

    /// Calls back for every deadline that has passed. Returns the next deadline, or nil if there is
    /// none. Nil ends the sleeping task.
    private func callDue() -> Duration? {
        let (due, next) = state.withLock { state in
            let now = timeline.now()
            let due = state.pending.filter { $0.value.deadline <= now }
            for id in due.keys { state.pending[id] = nil }
            if state.pending.isEmpty { state.sleeper = nil }
            let next = state.pending.values.lazy.map(\.deadline).min()
            return (due.values.sorted { $0.deadline < $1.deadline }, next)
        }
        for (_, work) in due { work() }
        return next
    }
}
