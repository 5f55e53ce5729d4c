import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct PolicyRaceTests {
    @Test func aThousandExchangesEndOnceEach() async throws {
        let clock = MockClock()
        let arrivals = Locked(0)
        let session = MockURLSession().intercepting { request, _ in
            arrivals.withLock { $0 += 1 }
            if request.url?.path == "/0" { return try answer(to: request, "value") }
            _ = try await waitForCancellation()
            throw TestError()
        }.timingOut(after: .seconds(10), clock: clock)
        let tasks = (0..<1_000).map { number in
            Task { await session.outcome(of: .test("\(number % 3)")) }
        }
        await yieldWhile { arrivals.withLock { $0 } < 1_000 }

        // An answer that comes after the timeout is refused.
        for number in stride(from: 0, to: 1_000, by: 3) { _ = await tasks[number].value }
        for number in stride(from: 1, to: 1_000, by: 3) { tasks[number].cancel() }
        await clock.advance(by: .seconds(10))
        let endings: [ExchangeOutcome] = [.body("value"), .error(.cancelled), .error(.timedOut)]
        for (number, task) in tasks.enumerated() {
            #expect(await task.value == endings[number % 3])
        }
    }

    @Test func aCancellationArrivesAtOnce() async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let executor = QueueExecutor(isSerial: true)
        let network = MockNetwork()
        network.stub(.any, .hanging)
        // On the real clock, whose deadlines wait in another way. It goes on beside busy tests.
        let session = network.timingOut(after: .seconds(600)).retrying()
            .coalescing().timingOut(after: .seconds(600))
        let task = executor.start { await session.outcome(of: .test("a")) }
        await network.waitForRequests(1)
        // Every policy waits.
        await executor.settle()

        task.cancel()
        #expect(network.requests.map(\.wasCancelled) == [true])
        try network.verify()
        let outcome = try await task.value
        #expect(outcome == .error(.cancelled))
    }

    @Test func aTimeoutArrivesAtOnce() async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let executor = QueueExecutor(isSerial: true)
        let clock = MockClock()
        let stubborn = StubbornSession()
        let session = stubborn.timingOut(after: .seconds(10), clock: clock)
            .retrying(RetryPolicy(maximumAttempts: 1), clock: clock)
        let task = executor.start { await session.outcome(of: .test("a")) }
        await stubborn.arrived.wait()
        await executor.settle()
        let wasCancelled = Locked(false)
        // This runs at the same moment as the timeout, after it.
        _ = clock.schedule(at: clock.now.advanced(by: .seconds(10)), isDeadline: true) {
            wasCancelled.withLock { $0 = stubborn.wasCancelled.withLock { $0 } }
        }

        await clock.advance(by: .seconds(10))
        #expect(wasCancelled.withLock { $0 })
        #expect(try await task.value == .error(.timedOut))
        stubborn.mayAnswer.open()
    }

    @Test func anAnswerAtTheTimeoutEndsItOnce() async throws {
        let clock = MockClock()
        let session = MockURLSession().intercepting { request, _ in
            try await clock.sleep(for: .milliseconds(1))
            return try answer(to: request, "value")
        }.timingOut(after: .milliseconds(1), clock: clock)
        for number in 1...500 {
            let task = Task { await session.outcome(of: .test("a")) }
            await clock.waitForSleepers()
            async let moved: Void = clock.advance(by: .milliseconds(1))
            if number.isMultiple(of: 3) { task.cancel() }
            let ending = await task.value
            await moved
            #expect([.body("value"), .error(.timedOut), .error(.cancelled)].contains(ending))
        }
    }

    @Test func aThousandLoadsAreRetriedEachOnItsOwn() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        let attempts = Locked<[String: Int]>([:])
        let failures: [[MockResponse]] = [[], [.status(503)], [.error(.timedOut), .status(429)]]
        network.stub(.get("/{number}"), times: .any) { request in
            let path = request.pathValues["number"]!
            guard let number = Int(path), number % 4 < 3 else { return .status(500) }
            let attempt = attempts.withLock { attempts in
                attempts[path, default: 0] += 1
                return attempts[path]!
            }
            let before = failures[number % 4]
            return attempt <= before.count ? before[attempt - 1] : .text(path)
        }
        let session = network.retrying(clock: clock, random: { 0 })

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let (data, response) = try await session.exchange(.test("\(number)"))
                    #expect(response.statusCode == (number % 4 == 3 ? 500 : 200))
                    #expect(data.text == (number % 4 == 3 ? "" : "\(number)"))
                }
            }
            try await group.waitForAll()
        }

        #expect(network.requests.count == 250 * 9)
    }

    @Test func aThousandWaitsAreCancelledOrEnd() async throws {
        let clock = MockClock()
        let network = MockNetwork { request in (try answer(to: request, status: 503).1, nil) }
        let session = network.retrying(RetryPolicy(maximumAttempts: 2), clock: clock, random: { 1 })
        let tasks = (0..<1_000).map { number in
            Task { await session.outcome(of: .test("\(number)")) }
        }
        await clock.waitForSleepers(1_000)

        for number in stride(from: 0, to: 1_000, by: 2) { tasks[number].cancel() }
        await clock.advance(by: .milliseconds(500))
        for (number, task) in tasks.enumerated() {
            #expect(await task.value == (number % 2 == 0 ? .error(.cancelled) : .body("")))
        }
        #expect(network.requests.count == 1_500)
    }
}
