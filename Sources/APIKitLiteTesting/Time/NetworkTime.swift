import APIKitLite

/// The time of one network, counted from its creation.
///
/// On a ``MockClock``, callbacks run inside the clock's moves, so that events keep their order.
/// Without a clock, no time passes.
struct NetworkTime: Sendable {
    /// The clock that the test chose, if any.
    let timeline: Timeline?
    /// The same clock, if it is a ``MockClock``, which only the test moves.
    let mockClock: MockClock?
    private let start: MockClock.Instant

    /// Starts counting at zero.
    init(_ clock: (any Clock<Duration>)?) {
        timeline = clock.map { Timeline($0) }
        mockClock = clock as? MockClock
        start = mockClock?.now ?? .init()
    }

    /// Whether time passes, so that delays take time and requests time out.
    var hasClock: Bool { timeline != nil }

    var now: Duration {
        mockClock.map { start.duration(to: $0.now) } ?? timeline?.now() ?? .zero
    }

    /// Begins a step that delivers the due parts of a response. A ``MockClock`` waits for the
    /// step to end.
    func beginStep() { record { $0.stepCount += 1 } }

    func endStep() { mockClock?.sleepers.update { $0.stepCount -= 1 } }

    /// Records on a ``MockClock`` what a client does.
    func record(_ change: (inout Sleepers) -> Void) { mockClock?.sleepers.withLock(change) }

    /// Calls back once, on any thread, at a time of the network, or now if that time has passed.
    /// Returns a function that cancels the callback. Without a clock, does nothing and returns nil.
    func schedule(
        at moment: Duration, _ kind: Sleeper.Kind, _ work: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        if let mockClock {
            return mockClock.schedule(at: start.advanced(by: moment), kind, work)
        }
        guard let timeline else { return nil }
        let sleeper = Task {
            try await timeline.sleep(moment)
            work()
        }
        return { sleeper.cancel() }
    }
}
