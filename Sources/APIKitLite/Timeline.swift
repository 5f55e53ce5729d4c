/// The time of any clock, as the duration since this was made: with a chain, with a network.
///
/// The clock's own type of instant is opened here, once, and nobody else is generic over it.
package struct Timeline: Sendable {
    /// How long ago this was made.
    package let now: @Sendable () -> Duration
    /// Throws at once when the task is cancelled. A moment that has passed is no wait.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// The time from now on.
    package init(_ clock: any Clock<Duration>) {
        self = Self.open(clock)
    }

    private init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    private static func open<C: Clock<Duration>>(_ clock: C) -> Timeline {
        let origin = clock.now
        return Timeline(
            now: { origin.duration(to: clock.now) },
            sleep: { moment in
                try await clock.sleep(until: origin.advanced(by: moment), tolerance: nil)
            })
    }
}

extension Duration {
    /// About 31 years: what is longer than any wait, and adds up without an overflow.
    static let forever = Duration.seconds(1_000_000_000)

    /// From zero to ``forever``.
    var clamped: Duration { max(.zero, min(self, .forever)) }

    /// For Foundation, which counts in these.
    var seconds: Double { self / .seconds(1) }
}

/// Waits for a while of real time in which the machine was not busy with others: an exchange that
/// does not get its turn is not one that hangs.
package func waitWhileFree(_ duration: Duration, atMost limit: Duration) async {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    let pause = Duration.milliseconds(50)
    var left = duration
    while left > .zero, clock.now < end, !Task.isCancelled {
        let taken = await clock.measure {
            try? await clock.sleep(until: min(end, clock.now.advanced(by: pause)))
            for _ in 0..<8 { await Task.yield() }
        }
        if taken < pause * 2 { left -= pause }
    }
}
