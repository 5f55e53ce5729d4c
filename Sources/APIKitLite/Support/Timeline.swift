/// The time of any clock, as the duration since this was made.
///
/// The clock's own type of instant is opened here, once, so that nothing else is generic over it.
package struct Timeline: Sendable {
    /// Returns the duration since this was made.
    package let now: @Sendable () -> Duration
    /// Suspends until a moment, or throws at once when the task is cancelled. A moment that has
    /// passed is no wait.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Calls back at a deadline, where the clock itself can; nil for any other clock.
    let callBack:
        (
            @Sendable (_ deadline: Duration, _ work: @escaping @Sendable () -> Void) -> Cancellation
        )?
    /// Whether time passes by itself, so that a sleep that nobody needs any more does no harm.
    let isRealTime: Bool

    /// Starts to count at the clock's present moment.
    package init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init<C: Clock<Duration>>(opening clock: C) {
        let origin = clock.now
        now = { origin.duration(to: clock.now) }
        sleep = { moment in
            try await clock.sleep(until: origin.advanced(by: moment), tolerance: nil)
        }
        callBack = (clock as? any CallbackClock).map { Self.callBack(on: $0) }
        isRealTime = clock is ContinuousClock || clock is SuspendingClock
    }

    private static func callBack<C: CallbackClock>(
        on clock: C
    ) -> @Sendable (Duration, @escaping @Sendable () -> Void) -> Cancellation {
        let origin = clock.now
        return { deadline, work in
            clock.schedule(at: origin.advanced(by: deadline), isDeadline: true, work)
        }
    }
}

/// A clock that is moved by hand and calls back as it is moved.
///
/// What is scheduled is on the clock before `schedule` returns. A task that sleeps is not: it first
/// has to run.
package protocol CallbackClock: Clock where Duration == Swift.Duration {
    /// Calls back once, within the move that reaches a moment. If it has passed, calls back at once.
    ///
    /// - Parameter isDeadline: Whether this only limits something else that takes time. A test that
    ///   waits for sleepers does not mean it.
    func schedule(
        at moment: Instant, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation
}

/// A handle on something that is to happen later.
package struct Cancellation: Sendable {
    /// Prevents it, unless it has happened.
    package let cancel: @Sendable () -> Void

    package init(_ cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}

extension Duration {
    /// About 31 years: longer than any wait, and short enough to be added up without an overflow.
    static let forever = Duration.seconds(1_000_000_000)

    /// From zero to ``forever``.
    var clamped: Duration { max(.zero, min(self, .forever)) }

    /// For Foundation, which counts in these.
    var seconds: Double { self / .seconds(1) }
}
