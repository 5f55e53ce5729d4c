import Foundation

/// Calls back a fixed duration after each start.
///
/// On a clock that calls back by itself each deadline is on the clock from its start to its end.
/// On any other clock one sleeping task serves all deadlines: a task for each would cost more than
/// an exchange, and on Linux a system timer lives until it is due, also when its sleep is cancelled.
final class DeadlineTimer: Sendable {
    private struct Callback: Sendable {
        let call: @Sendable () -> Void
    }

    private struct State {
        var queue = DeadlineQueue<Callback>()
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

    /// Starts to count.
    ///
    /// - Parameter work: Called at most once, not after the cancellation.
    /// - Returns: The deadline on the timeline, and what ends the count.
    func schedule(
        _ work: @escaping @Sendable () -> Void
    ) -> (deadline: Duration, Cancellation) {
        if let callBack = timeline.callBack {
            let deadline = timeline.now() + duration
            return (deadline, callBack(deadline, work))
        }
        let (id, deadline) = state.withLock { state in
            // The time is read under the lock, so that deadlines are in the order of the ids.
            let deadline = timeline.now() + duration
            let id = state.queue.add(Callback(call: work), until: deadline)
            if state.sleeper == nil {
                state.lastSleeper += 1
                state.sleeper = (state.lastSleeper, sleeper(state.lastSleeper))
            }
            return (id, deadline)
        }
        return (deadline, Cancellation { [self] in remove(id) })
    }

    private func remove(_ id: Int) {
        let unneeded = state.withLock { state -> Task<Void, Never>? in
            state.queue.remove(id)
            // In real time it sleeps on: the next exchange may start at once.
            guard state.queue.isEmpty, !timeline.isRealTime else { return nil }
            defer { state.sleeper = nil }
            return state.sleeper?.task
        }
        unneeded?.cancel()
    }

    // Detached: it belongs to no exchange. Weak: it must not keep a chain that is gone.
    private func sleeper(_ id: Int) -> Task<Void, Never> {
        Task.detached { [timeline, weak self] in
            while let deadline = self?.nextDeadline(of: id) {
                do {
                    try await timeline.sleep(deadline)
                } catch {
                    // Cancelled, or an error of the clock's own: the next exchange starts another.
                    self?.end(id)
                    return
                }
                self?.callDue()
            }
        }
    }

    private func nextDeadline(of id: Int) -> Duration? {
        state.withLock { state in
            guard state.sleeper?.id == id else { return nil }
            if state.queue.isEmpty { state.sleeper = nil }
            return state.queue.next
        }
    }

    private func end(_ id: Int) {
        state.withLock { if $0.sleeper?.id == id { $0.sleeper = nil } }
    }

    private func callDue() {
        for callback in state.withLock({ $0.queue.takeDue(at: timeline.now()) }) { callback.call() }
    }
}
