import APIKitLite

/// The time of one network, counted from the network's creation.
protocol NetworkTime: Sendable {
    /// The time since the creation of the network.
    var now: Duration { get }

    /// Whether the test chose the clock. Only then does a request without any answer time out.
    var isChosen: Bool { get }

    /// The clock that only the test moves; nil if time passes without the test.
    var mockClock: MockClock? { get }

    /// Calls back once, at a moment. If it has passed, calls back immediately.
    ///
    /// - Parameters:
    ///   - moment: When to call back.
    ///   - isDeadline: Whether this only limits other work.
    ///   - work: The callback, on any thread.
    /// - Returns: A handle that prevents the callback.
    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation

    /// Suspends until a moment. If it has passed, returns immediately.
    ///
    /// - Throws: `CancellationError`, as soon as the task is cancelled.
    func sleep(until moment: Duration) async throws
}

extension NetworkTime {
    var mockClock: MockClock? { nil }
}

/// The time of any clock that the user chose, except a ``MockClock``.
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

    func sleep(until moment: Duration) async throws {
        try await timeline.sleep(moment)
    }
}

/// The time of a ``MockClock``. It calls back inside `advance`, so that events keep their order.
struct MockTime: NetworkTime {
    private let clock: MockClock
    private let start: MockClock.Instant
    var mockClock: MockClock? { clock }

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

    func sleep(until moment: Duration) async throws {
        try await clock.sleep(until: start.advanced(by: moment))
    }
}

/// The time of a network without a clock. It jumps to the next moment of a callback as soon as
/// nothing new has happened for two milliseconds, so delays take no time but keep their order.
///
/// `isMoving` has its own lock.
final class JumpingTime: NetworkTime {
    private let clock = MockClock()
    /// Whether a task runs `move()`.
    private let isMoving = Locked(false)
    private let activity: AwaitableCounter

    /// Creates a time at zero.
    ///
    /// - Parameter activity: Increases with everything that may still lead to a callback.
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
            // Read once: another task may schedule or cancel at any time.
            guard !isMoving, clock.nextDeadline != nil else { return false }
            isMoving = true
            return true
        }
        if mustMove { Task { await move() } }
        return cancellation
    }

    func sleep(until moment: Duration) async throws {
        // Only a callback makes the clock move.
        let callback = schedule(at: moment, isDeadline: false) {}
        defer { callback.cancel() }
        try await clock.sleep(until: .init(offset: moment))
    }

    /// Moves the clock until no callback is left.
    private func move() async {
        while true {
            await activity.waitForQuiet()
            // Under the lock, so that a later `schedule` knows whether it must start a new move.
            let next = isMoving.withLock { isMoving in
                let next = clock.nextDeadline
                isMoving = next != nil
                return next
            }
            guard let next else { return }
            await clock.advance(to: next)
        }
    }
}

/// Returns the time of a network that has a clock.
func makeTime(_ clock: any Clock<Duration>) -> any NetworkTime {
    if let clock = clock as? MockClock { MockTime(clock) } else { ChosenTime(clock) }
}
