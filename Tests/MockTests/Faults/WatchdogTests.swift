import APIKitLite
import Testing

@testable import APIKitLiteTesting

/// When a load counts as one that hangs.
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    /// The moves of a network's clock that the watchdog sees: the factor times 0, 1, 2, … modulo.
    @Test(arguments: [
        // The clock stands still.
        (factor: 0, modulo: 1, seconds: 1),
        // It is always being moved.
        (1, 10, 120),
        // It has been moved too often.
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
        // A last step may have come after the end.
        #expect([.zero, .milliseconds(50)].contains(clock.now.offset - .seconds(seconds)))
    }

    @Test func aCancelledWatchdogEnds() async {
        let watching = Task { await Watchdog.oneSecond.wait { 0 } }
        watching.cancel()
        await watching.value
    }
}
