import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The report of a clock about a task that sleeps on it, if no function of the mock waits.
@Suite(.limited) struct SleepReportTests {
    private let recorder = ReportRecorder()
    private let clock = MockClock()

    init() {
        recorder.record(clock.watch)
    }

    /// A client whose retry waits for 7 seconds of the clock.
    private func load() -> Task<Void, Never> {
        let network = MockNetwork()
        network.stub(.any, .status(503).header("Retry-After", "7"), times: .any)
        let session = MockURLSession(network).retrying(RetryPolicy(deadline: nil), clock: clock)
        return Task { _ = try? await session.exchange(.test("a")) }
    }

    @Test func reportsAClockThatNothingMoves() async {
        let load = load()
        await recorder.waitForWatch()

        await recorder.clock.advance(by: .milliseconds(4_900))
        #expect(recorder.reports == [])
        await recorder.waitForReport()

        #expect(
            recorder.reports == [
                """
                APIKitLiteTesting: A task has slept on a MockClock for 5.0 seconds of real time, \
                and nothing has moved the clock.
                  The clock is at 0.0 seconds. It wakes a task at 7.0 seconds.
                  To wake the first, move the clock by 7.0 seconds.

                """
            ])
        load.cancel()
        await load.value
    }

    @Test func reportsNoClockThatMoves() async {
        let load = load()
        await recorder.waitForWatch()

        for _ in 0..<3 {
            await recorder.clock.advance(by: .seconds(4))
            await clock.advance(by: .seconds(1))
        }

        #expect(recorder.reports == [])
        load.cancel()
        await load.value
        // It looks no more, since nothing sleeps.
        await recorder.clock.advance(by: .seconds(60))
        #expect(recorder.reports == [])
        #expect(recorder.clock.pendingDeadlines == [])
    }

    /// The call reports it.
    @Test func reportsNothingWhileACallWaits() async {
        let load = load()
        await recorder.waitForWatch()
        let wait = Task { await clock.waitForSleepers(2) }
        await yieldWhile { clock.watch.callCount < 1 }

        await recorder.waitForReport()

        #expect(recorder.reports.count == 1)
        #expect(recorder.reports.first?.contains("clock.waitForSleepers(2)") == true)
        wait.cancel()
        load.cancel()
        await wait.value
        await load.value
    }

    /// Its report shows the clock, too.
    @Test func leavesTheReportToANetworkOnTheClock() async throws {
        let network = MockNetwork(clock: clock)
        network.stub(.any, .hanging)
        let load = Task { try await MockURLSession(network).exchange(.test("a")) }
        await network.waitForRequests()
        let sleep = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(2)

        await recorder.waitForReport()

        #expect(recorder.reports.count == 1)
        #expect(recorder.reports.first?.contains("has waited for its answer") == true)
        #expect(recorder.reports.first?.contains("It wakes a task at 1.0 seconds") == true)
        load.cancel()
        sleep.cancel()
        _ = try? await load.value
        _ = try? await sleep.value
    }
}
