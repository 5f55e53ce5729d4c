import APIKitLite
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The time after which a load counts as hanging.
@Suite(.limited) struct WatchdogTests {
    /// The moves of a network's clock that the watchdog sees: the factor times 0, 1, 2, … modulo.
    @Test(arguments: [
        // The clock does not move.
        (factor: 0, modulo: 1, seconds: 1),
        // The clock moves at each look, until the limit of two minutes.
        (1, 10, 120),
        // The clock moved more than a thousand times.
        (501, 1_000_000, 1),
    ])
    func theWatchdogLetsASecondPass(factor: Int, modulo: Int, seconds: Int) async {
        let clock = MockClock()
        let moves = Locked(0)
        let watching = Task {
            await Watchdog.oneSecond(on: clock).wait {
                moves.withLock {
                    $0 += 1
                    return $0 % modulo * factor
                }
            }
        }
        let moving = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers()
                await clock.advance(by: .milliseconds(50))
            }
        }

        await watching.value
        moving.cancel()
        await moving.value
        // The clock may have moved once more after the end.
        #expect([.zero, .milliseconds(50)].contains(clock.now.offset - .seconds(seconds)))
    }

    @Test func aCancelledWatchdogEndsAtOnce() async {
        let clock = MockClock()
        let watching = Task { await Watchdog.oneSecond(on: clock).wait { 0 } }
        await clock.waitForSleepers()

        watching.cancel()
        await watching.value

        #expect(clock.now.offset == .zero)
        #expect(clock.pending.isEmpty)
    }
}
