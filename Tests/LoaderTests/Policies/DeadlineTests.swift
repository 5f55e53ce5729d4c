import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Deadlines that have passed when somebody looks.
@Suite(.limited, .usesSockets) struct DeadlineTests {
    // However soon after the start the clock is moved.
    @Test func whatComesAfterTheTimeoutIsTooLate() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .text("late").delayed(by: .seconds(40)))
        let session = MockURLSession(network).timingOut(after: .seconds(30), clock: clock)
        let task = Task { await session.outcome(of: .test("a")) }
        await network.waitForRequests()

        await clock.advance(by: .seconds(40))

        #expect(await task.value == .error(.timedOut))
    }

    /// Wakes an hour late, like a machine that was asleep.
    private struct LateClock: Clock {
        let clock = MockClock()
        var now: MockClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {
            await clock.advance(to: deadline.advanced(by: .seconds(3_600)))
        }
    }

    @Test func sendsNothingWhereTheDeadlinePassedInAWait() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 {
                        let network = MockNetwork()
                        let stub = network.stub(.any, .status(503))
                        let session = MockURLSession(network)
                            .retrying(clock: LateClock(), random: { 1 })

                        #expect(await session.outcome(of: .test("a")) == .error(.timedOut))
                        #expect(stub.callCount == 1)
                    }
                }
            }
        }
    }
}
