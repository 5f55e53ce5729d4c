/// A rule that decides when a piece of work has taken too long.
struct Watchdog: Sendable {
    /// Suspends until the work has taken too long, or until the task is cancelled.
    ///
    /// - Parameter moves: Returns how often the clock of the network was advanced.
    let wait: @Sendable (_ moves: @escaping @Sendable () -> Int) async -> Void

    /// Waits for one second of real time, without the time in which the machine was busy or the
    /// clock of the network was advanced.
    ///
    /// After 1,000 moves of the clock, all time counts: the moves may be endless. After two minutes
    /// the wait ends in any case: the work itself may be what keeps the machine busy.
    static let oneSecond = oneSecond(on: ContinuousClock())

    /// Waits for 20 pauses of 50 ms on a clock. A pause that takes 100 ms or longer does not count,
    /// because it shows that the machine is busy.
    static func oneSecond(on clock: some Clock<Duration>) -> Watchdog {
        Watchdog { moves in
            let end = clock.now.advanced(by: .seconds(120))
            var pauses = 0
            while pauses < 20, clock.now < end, !Task.isCancelled {
                let before = moves()
                let pause = await clock.measure {
                    let end = clock.now.advanced(by: .milliseconds(50))
                    try? await clock.sleep(until: end, tolerance: nil)
                    // As many yields as `AwaitableCounter.waitForQuiet()` needs before a move.
                    for _ in 0..<32 { await Task.yield() }
                }
                let isFree = pause < .milliseconds(100) && moves() == before
                if isFree || moves() > 1000 { pauses += 1 }
            }
        }
    }
}
