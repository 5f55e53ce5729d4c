import APIKitLite

/// Reports once if a task sleeps on a clock for ``WaitReporter/patience``, the clock stands still,
/// and neither a call of the test waits on it nor a network on it reports.
///
/// It looks once each second while a task sleeps. `state` has its own lock.
final class SleepWatch: Sendable {
    private struct State {
        var isRunning = false
        var hasReported = false
        /// The number of calls of the test that wait on the clock.
        var waitCount = 0
        /// The number of changes of the clock at the last look.
        var changes = 0
        /// The number of seconds since the last change.
        var seconds = 0
    }

    /// What to do after a second.
    private enum Step {
        case stop, goOn, report
    }

    private let state = Locked(State())

    /// Begins to watch, unless it does so already. Call this after the task was added.
    ///
    /// - Parameter clock: The clock, which the watch does not keep alive.
    func begin(on clock: MockClock) {
        let mustStart = state.withLock { state in
            guard !state.isRunning, !state.hasReported else { return false }
            (state.isRunning, state.seconds, state.changes) = (true, 0, clock.changeCount)
            return true
        }
        guard mustStart else { return }
        let reporter = WaitReporter.current
        reporter.everySecond { [weak self, weak clock] in
            guard let self, let clock else { return false }
            return check(clock, reporter)
        }
    }

    func beginWait() {
        state.withLock { $0.waitCount += 1 }
    }

    func endWait(hasReported: Bool) {
        state.withLock { state in
            state.waitCount -= 1
            state.hasReported = state.hasReported || hasReported
        }
    }

    /// Reports the task that has slept for too long. Returns whether to look again.
    private func check(_ clock: MockClock, _ reporter: WaitReporter) -> Bool {
        switch nextStep(of: clock) {
        case .stop: return false
        case .goOn: return true
        case .report:
            // Outside of the lock, because this runs the code of networks.
            if clock.networks.withLock({ $0 }).contains(where: { $0.network?.isStalled == true }) {
                return true
            }
            state.withLock { $0.hasReported = true }
            reporter.write(WaitReport(subject: .sleep, clock: clock.waitState))
            return false
        }
    }

    private func nextStep(of clock: MockClock) -> Step {
        // The clock is read under the lock, so that a task that comes now is either seen here or
        // starts the watch again.
        state.withLock { state in
            let changes = clock.changeCount
            guard !state.hasReported, clock.waitState.sleepers.contains(where: \.isTask) else {
                state.isRunning = false
                return .stop
            }
            state.seconds = state.changes == changes ? state.seconds + 1 : 0
            state.changes = changes
            guard state.seconds >= WaitReporter.seconds, state.waitCount == 0 else { return .goOn }
            return .report
        }
    }
}
