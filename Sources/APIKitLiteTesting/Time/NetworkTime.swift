import APIKitLite

/// The time of one network, counted from its beginning.
protocol NetworkTime: Sendable {
    var now: Duration { get }

    /// Whether a request that gets no answer at all times out: only where somebody chose the clock.
    var isChosen: Bool { get }

    /// Calls back once, when the moment has come: at once if it has passed.
    ///
    /// - Parameter isDeadline: Whether this only limits something else that takes time.
    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation
}

/// A clock of the user's, whatever it is.
struct ChosenTime: NetworkTime {
    private let timeline: Timeline

    init(_ clock: any Clock<Duration>) {
        timeline = Timeline(clock)
    }

    var now: Duration { timeline.now() }
    var isChosen: Bool { true }

    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        let sleeper = Task { [timeline] in
            try await timeline.sleep(moment)
            work()
        }
        return Cancellation { sleeper.cancel() }
    }
}

/// A clock that a test moves. It calls back within `advance`, so that what happens keeps its order.
struct MockTime: NetworkTime {
    private let clock: MockClock
    private let start: MockClock.Instant

    init(_ clock: MockClock) {
        self.clock = clock
        start = clock.now
    }

    var now: Duration { start.duration(to: clock.now) }
    var isChosen: Bool { true }

    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        clock.schedule(at: start.advanced(by: moment), isDeadline: isDeadline, work)
    }
}

/// The time of a network without a clock: it jumps to the next moment that somebody waits for, as
/// soon as nothing new has happened for two milliseconds. So delays keep their order, and take no time.
final class JumpingTime: NetworkTime {
    private let clock = MockClock()
    private let isMoving = Locked(false)
    private let activity: AwaitableCounter

    /// - Parameter activity: Grows with everything that may still lead to a wait.
    init(activity: AwaitableCounter) {
        self.activity = activity
    }

    var now: Duration { clock.now.offset }
    var isChosen: Bool { false }

    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        let cancellation = clock.schedule(
            at: .init(offset: moment), isDeadline: isDeadline, work)
        let mustMove = isMoving.withLock { isMoving in
            defer { isMoving = isMoving || clock.nextDeadline != nil }
            return !isMoving && clock.nextDeadline != nil
        }
        if mustMove { Task { await move() } }
        return cancellation
    }

    private func move() async {
        while true {
            await activity.waitForQuiet()
            // Under the lock: whoever comes later sees that nobody moves the clock any more.
            let next = isMoving.withLock { isMoving in
                isMoving = clock.nextDeadline != nil
                return clock.nextDeadline
            }
            guard let next else { return }
            await clock.advance(to: next)
        }
    }
}

/// The time that a clock keeps.
func makeTime(_ clock: any Clock<Duration>) -> any NetworkTime {
    if let clock = clock as? MockClock { MockTime(clock) } else { ChosenTime(clock) }
}
