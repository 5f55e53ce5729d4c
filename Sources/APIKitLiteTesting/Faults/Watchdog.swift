/// Decides when something has taken too long.
struct Watchdog: Sendable {
    /// Suspends until then, or until the task is cancelled.
    ///
    /// - Parameter moves: How often the clock of the network was moved on.
    let wait: @Sendable (_ moves: @escaping @Sendable () -> Int) async -> Void

    /// A second of real time, not counting what the machine gave to others, and what it took to
    /// move the clock. After two minutes, or a thousand moves, that counts too: it may be what is wrong.
    static let oneSecond = oneSecond(on: ContinuousClock())

    /// Counts pauses. One that takes twice as long as it should shows that the machine is busy.
    static func oneSecond(on clock: some Clock<Duration>) -> Watchdog {
        Watchdog { moves in
            let end = clock.now.advanced(by: .seconds(120))
            var pauses = 0
            while pauses < 20, clock.now < end, !Task.isCancelled {
                let before = moves()
                let pause = await clock.measure {
                    let end = clock.now.advanced(by: .milliseconds(50))
                    try? await clock.sleep(until: end, tolerance: nil)
                    // As many turns as the clock's next move waits for.
                    for _ in 0..<32 { await Task.yield() }
                }
                let isFree = pause < .milliseconds(100) && moves() == before
                if isFree || moves() > 1000 { pauses += 1 }
            }
        }
    }
}
