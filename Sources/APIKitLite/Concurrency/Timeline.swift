/// The time of any clock, as the duration since this timeline was created.
///
/// A timeline hides the clock's type of instant, so other code need not be generic over the clock.
package struct Timeline: Sendable {
    typealias CallBack =
        @Sendable (_ deadline: Duration, _ work: @escaping @Sendable () -> Void)
        -> @Sendable () -> Void

    package let now: @Sendable () -> Duration
    /// Suspends until a moment, or returns immediately if the moment has passed. Throws as soon as
    /// the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Calls back at a deadline, and returns a function that prevents the call. Nil if the clock is
    /// not a `CallbackClock`.
    let callBack: CallBack?
    /// Whether the clock is a `ContinuousClock` or `SuspendingClock`. On these clocks, time passes
    /// by itself, so a sleep that is no longer needed ends by itself.
    let isRealTime: Bool

    package init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        now = { origin.duration(to: clock.now) }
        sleep = { moment in
            try await clock.sleep(until: origin.advanced(by: moment), tolerance: nil)
        }
        callBack = (clock as? any CallbackClock)?.callBack(from: origin)
        isRealTime = clock is ContinuousClock || clock is SuspendingClock
    }
}

/// A clock that a test moves, and that makes scheduled calls as it moves.
///
/// A call is registered with the clock before `schedule` returns. The sleep of a task is registered
/// only when that task runs.
package protocol CallbackClock: Clock where Duration == Swift.Duration {
    /// Schedules one call for a moment. The clock makes the call during the move that reaches the
    /// moment, or immediately if the moment has passed.
    ///
    /// The call only enforces a deadline for other work, so a test that waits for sleepers does not
    /// count the call.
    ///
    /// - Returns: A function that prevents the call, unless the call has begun.
    func schedule(
        at moment: Instant, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

extension CallbackClock {
    fileprivate func callBack(from origin: Any) -> Timeline.CallBack {
        // The type of `origin` is always this clock's `Instant`. The clock is not read here,
        // because it may be moving.
        let origin = origin as! Instant
        return { deadline, work in
            schedule(at: origin.advanced(by: deadline), work)
        }
    }
}

extension Duration {
    /// Almost 32 years: longer than any wait, and short enough to be added without overflow.
    static let forever = Duration.seconds(1_000_000_000)

    var clamped: Duration { max(.zero, min(self, .forever)) }

    var seconds: Double { self / .seconds(1) }
}
