import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// Deadlines that pass where no patrol sleeps on the clock.
@Suite struct DeadlineTests {
    // However soon after the start the clock is moved.
    @Test(arguments: [false, true])
    func whatComesAfterTheTimeoutIsTooLate(isRetry: Bool) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .text("late").delayed(by: .seconds(40)))
        let bare = MockURLSession(network)
        let session: any HTTPSession =
            isRetry
            ? bare.retrying(RetryPolicy(deadline: .seconds(30)), clock: clock)
            : bare.timingOut(after: .seconds(30), clock: clock)
        let task = Task { await session.ending(of: .test("a")) }
        await clock.waitForSleepers()

        await clock.advance(by: .seconds(40))

        #expect(await task.value == .error(.timedOut))
    }

    @Test func sendsNothingWhereTheDeadlinePassedInAWait() async throws {
        /// Wakes an hour late, like a machine that was asleep.
        struct LateClock: Clock {
            let clock = MockClock()
            var now: MockClock.Instant { clock.now }
            var minimumResolution: Duration { .zero }
            func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {
                await clock.advance(to: deadline.advanced(by: .seconds(3_600)))
            }
        }
        let network = MockNetwork()
        network.stub(.any, .status(503), times: .exactly(1))
        let session = MockURLSession(network).retrying(clock: LateClock(), random: { 1 })

        #expect(await session.ending(of: .test("a")) == .error(.timedOut))
        try network.verify()
    }
}
