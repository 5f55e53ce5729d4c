/// A clock that a test moves, and that calls back during the move.
///
/// A call is registered with the clock before `schedule` returns. The sleep of a task is registered
/// only when that task runs.
package protocol CallbackClock: Clock where Duration == Swift.Duration {
    /// Schedules one call for a moment, during the move that reaches it, and returns a handle that
    /// cancels it. If the moment has passed, calls back immediately.
    ///
    /// A deadline only limits the duration of other work: a test that waits for sleepers does not count
    /// it.
    func schedule(
        at moment: Instant, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation
}

package struct Cancellation: Sendable {
    /// Prevents the call, unless it has begun.
    package let cancel: @Sendable () -> Void

    package init(_ cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }
}
