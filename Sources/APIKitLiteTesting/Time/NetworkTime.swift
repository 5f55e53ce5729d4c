import APIKitLite

/// The time of one network, counted from the network's creation.
///
/// On a ``MockClock``, it calls back inside `advance`, so that events keep their order. Without a
/// clock, it jumps to the next moment of a callback as soon as nothing new has happened for two
/// milliseconds, so delays take no time but keep their order.
final class NetworkTime: Sendable {
    private let timeline: Timeline
    /// The clock that calls back: the test's, or one that jumps; nil for any other clock.
    private let clock: MockClock?
    private let start: MockClock.Instant
    /// Whether the test chose the clock. Only then does a request without any answer time out.
    let isChosen: Bool
    /// Increases with everything that may still lead to a callback.
    private let activity: @Sendable () -> Int
    /// Whether a task runs `move()`.
    private let isMoving = Locked(false)

    /// Creates a time at zero.
    ///
    /// - Parameters:
    ///   - clock: The clock that the test chose; nil for a time that jumps.
    ///   - activity: Increases with everything that may still lead to a callback.
    init(_ clock: (any Clock<Duration>)?, activity: @escaping @Sendable () -> Int) {
        isChosen = clock != nil
        let clock = clock ?? MockClock()
        timeline = Timeline(clock)
        self.clock = clock as? MockClock
        start = self.clock?.now ?? .init()
        self.activity = activity
    }

    var now: Duration { clock.map { start.duration(to: $0.now) } ?? timeline.now() }

    /// The clock that only the test moves; nil if time passes without the test.
    var mockClock: MockClock? { isChosen ? clock : nil }

    /// Begins a step of a reply, which gives what is due. A ``MockClock`` moves only after its end.
    func beginStep() { clock?.beginStep() }

    func endStep() { clock?.endStep() }

    /// Calls back once, at a moment. If it has passed, calls back immediately.
    ///
    /// - Parameters:
    ///   - moment: When to call back.
    ///   - isDeadline: Whether this only limits other work.
    ///   - work: The callback, on any thread.
    /// - Returns: A handle that prevents the callback.
    func schedule(
        at moment: Duration, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        guard let clock else {
            let sleeper = Task { [timeline] in
                try await timeline.sleep(moment)
                work()
            }
            return Cancellation { sleeper.cancel() }
        }
        let call = clock.schedule(at: start.advanced(by: moment), isDeadline: isDeadline, work)
        if !isChosen { jump(clock) }
        return call
    }

    /// Suspends until a moment. If it has passed, returns immediately.
    ///
    /// - Throws: `CancellationError`, as soon as the task is cancelled.
    func sleep(until moment: Duration) async throws {
        // Only a callback makes the time jump.
        let callback = isChosen ? nil : schedule(at: moment, isDeadline: false) {}
        defer { callback?.cancel() }
        try await timeline.sleep(moment)
    }

    /// Moves the clock until no callback is left, unless a task does that already.
    private func jump(_ clock: MockClock) {
        let mustMove = isMoving.withLock { isMoving in
            // Read once: another task may schedule or cancel at any time.
            guard !isMoving, clock.nextDeadline != nil else { return false }
            isMoving = true
            return true
        }
        guard mustMove else { return }
        Task {
            while true {
                while await !isQuiet(activity) {}
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
}
