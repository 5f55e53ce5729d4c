import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The reasons for which retries end before the last attempt.
@Suite(.limited, .usesSockets) struct RetryingEndTests {
    @Test(arguments: [nil, Duration.seconds(60)])
    func aCancelledWaitEndsAtOnceAndSendsNothing(_ deadline: Duration?) async throws {
        let clock = MockClock()
        let attempts = Locked(0)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(),
            // Answers also when it is cancelled.
            urlSession: MockURLSession().intercepting { request, _ in
                attempts.withLock { $0 += 1 }
                return try answer(to: request, status: 503)
            }.retrying(RetryPolicy(deadline: deadline), clock: clock, random: { 0.5 }))
        let load = Task { try await loader.load("/a") }
        await clock.waitForSleepers()

        load.cancel()
        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
        #expect((error?.underlying as? URLError)?.code == .cancelled)
        await clock.advance(by: .seconds(100))
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test(arguments: [nil, Duration.seconds(60)], [false, true])
    func aCancelledAttemptIsNotTriedAgain(_ deadline: Duration?, hasRule: Bool) async throws {
        let arrivals = Locked(0)
        let arrived = Gate()
        let ended = Gate()
        let lost = MockURLSession().intercepting { _, _ in
            arrivals.withLock { $0 += 1 }
            defer { ended.open() }
            arrived.open()
            _ = try? await waitForCancellation()
            // The connection breaks in the same moment.
            throw URLError(.networkConnectionLost)
        }
        let policy = RetryPolicy(deadline: deadline)
        let session: any HTTPSession =
            hasRule
            ? lost.retrying(policy, clock: MockClock()) { _ in
                Issue.record("The rule is not asked.")
                return .retry(after: .zero)
            } : lost.retrying(policy, clock: MockClock(), random: { 0 })
        let task = Task { await session.outcome(of: .test("a")) }
        await arrived.wait()

        task.cancel()
        #expect(await task.value == .error(.networkConnectionLost))
        await ended.wait()
        #expect(arrivals.withLock { $0 } == 1)
    }

    @Test func startsNoWaitThatWouldEndAfterTheDeadline() async throws {
        let clock = MockClock()
        let network = MockNetwork { request in
            try await clock.sleep(for: .seconds(9))
            return (try answer(to: request, status: 503).1, nil)
        }
        let session = network.retrying(
            RetryPolicy(baseDelay: .seconds(2), deadline: .seconds(10)), clock: clock,
            random: { 0.5 })
        async let task = session.exchange(.test("a")).1.statusCode
        await clock.waitForSleepers()

        await clock.advance(by: .seconds(9))
        #expect(try await task == 503)
        #expect(network.requests.count == 1)
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
                        let session = network.retrying(clock: LateClock(), random: { 1 })

                        #expect(await session.outcome(of: .test("a")) == .error(.timedOut))
                        #expect(stub.callCount == 1)
                    }
                }
            }
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func sendsNothingWhereThereIsNoTime(_ deadline: Duration) async throws {
        let network = MockNetwork()
        let session = network.retrying(RetryPolicy(deadline: deadline))
        #expect(await session.outcome(of: .test("a")) == .error(.timedOut))
        #expect(network.requests.isEmpty)
    }

    @Test func givesEachAttemptItsTimeInsideAndTheWholeOutside() async throws {
        let clock = MockClock()
        let arrivals = Recorder<Duration>()
        let hanging = MockURLSession().intercepting { _, _ in
            arrivals.append(clock.now.offset)
            _ = try await waitForCancellation()
            throw TestError()
        }
        let session = hanging.timingOut(after: .seconds(4), clock: clock)
            .retrying(RetryPolicy(deadline: nil), clock: clock, random: { 0 })
            .timingOut(after: .seconds(10), clock: clock)
        async let task = session.outcome(of: .test("a"))

        for moment in [0, 4, 8] {
            _ = await arrivals.events { $0 == .seconds(moment) }
            await clock.advance(to: .init(offset: .seconds(moment == 8 ? 10 : moment + 4)))
        }
        #expect(await task == .error(.timedOut))
        #expect(clock.now.offset == .seconds(10))
    }
}
