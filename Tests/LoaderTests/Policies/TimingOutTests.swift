import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct TimingOutTests {
    private let clock = MockClock()
    private let network = MockNetwork()

    @TaskLocal static var name = "nobody"

    /// The task that sleeps ends with the last deadline, and begins again with the next one.
    @Test func aTimerWorksAgainAfterItWasIdle() async {
        let timer = DeadlineTimer(.seconds(1), on: Timeline(ImmediateClock()))
        for _ in 0..<20 {
            let isDue = Gate()
            _ = timer.schedule { isDue.open() }
            await isDue.wait()
            for _ in 0..<100 { await Task.yield() }
        }
    }

    /// A clock whose sleepers wake too late.
    private struct UnpunctualClock: Clock {
        // It moves in the client that it would wait for.
        let clock = MockClock(patience: .zero)
        var now: MockClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {
            _ = try await waitForCancellation()
        }
    }

    @Test(arguments: [(29.9, .body("a")), (30, .error(.timedOut))] as [(Double, ExchangeOutcome)])
    func aLateResponseDoesNotCountBeforeTheTimerRuns(
        _ seconds: Double, _ outcome: ExchangeOutcome
    ) async throws {
        let clock = UnpunctualClock()
        let session = MockURLSession().intercepting { request, _ in
            await clock.clock.advance(by: .seconds(seconds))
            return try makeResponse(to: request, "a")
        }.timingOut(after: .seconds(30), clock: clock)

        #expect(await session.outcome(of: .test("a")) == outcome)
    }

    @Test func endsAtOnceWhenTheExchangeIgnoresCancellation() async throws {
        let stubborn = StubbornSession()
        let session = stubborn.timingOut(after: .seconds(1), clock: clock)
        let task = Task { await session.outcome(of: .test("a")) }
        await stubborn.arrived.wait()

        task.cancel()
        #expect(await task.value == .error(.cancelled))
        #expect(stubborn.wasCancelled.withLock { $0 })
        stubborn.mayRespond.open()
    }

    @Test(
        arguments: [
            (.zero, .error(.timedOut)), (.seconds(-1), .error(.timedOut)),
            (.seconds(Int64.max), .body("a")), (.seconds(Int64.max) * 2, .body("a")),
        ] as [(Duration, ExchangeOutcome)])
    func takesAnyDuration(_ duration: Duration, _ outcome: ExchangeOutcome) async throws {
        network.stub(.any, .text("a"))
        let session = network.timingOut(after: duration)
        #expect(await session.outcome(of: .test("a")) == outcome)
        #expect(network.requests.count == (outcome == .body("a") ? 1 : 0))
    }

    @Test func keepsTheTaskLocalsAndTheErrorOfTheSession() async throws {
        let session = MockURLSession().intercepting { request, _ in
            if request.url?.path == "/error" { throw TestError(number: 7) }
            return try makeResponse(to: request, Self.name)
        }.timingOut(after: .seconds(1), clock: MockClock())

        let ending = await Self.$name.withValue("Emma") { await session.outcome(of: .test("a")) }
        #expect(ending == .body("Emma"))
        await #expect(throws: TestError(number: 7)) { try await session.exchange(.test("error")) }
    }

    @Test func anImmediateResponseLeavesNoDeadline() async throws {
        let session = MockURLSession().timingOut(after: .seconds(10), clock: clock)

        for _ in 0..<100 {
            _ = try await session.exchange(.test("a"))
            #expect(clock.pendingDeadlines == [])
        }
    }

    @Test func eachExchangeHasItsOwnDeadline() async throws {
        let clock = MockClock(patience: .zero)
        network.stub(.any, .hanging)
        let session = network.timingOut(after: .seconds(10), clock: clock)
        async let first = session.outcome(of: .test("a"))
        await network.waitForRequests()
        await clock.advance(by: .seconds(4))
        async let second = session.outcome(of: .test("b"))
        await network.waitForRequests(2)
        #expect(clock.pendingDeadlines == [.seconds(6), .seconds(10)])

        await clock.advance(by: .seconds(6))
        #expect(await first == .error(.timedOut))
        #expect(clock.pendingDeadlines == [.seconds(4)])
        await clock.advance(by: .seconds(4))
        #expect(await second == .error(.timedOut))
        #expect(clock.pendingDeadlines == [])
    }

    /// A clock that is not a `MockClock`, so that one sleeper serves all deadlines.
    private struct OtherClock: Clock {
        let clock = MockClock()
        let sleeperWasCancelled = Gate()
        /// What a cancelled sleep waits for before it ends.
        var mayEnd: Gate?
        /// The time by which the clock was set back.
        let delay = Locked(Duration.zero)
        var now: MockClock.Instant { clock.now.advanced(by: .zero - delay.withLock { $0 }) }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {
            do {
                try await clock.sleep(until: deadline.advanced(by: delay.withLock { $0 }))
            } catch {
                sleeperWasCancelled.open()
                await Task { [mayEnd] in await mayEnd?.wait() }.value
                throw error
            }
        }
    }

    @Test func oneSleeperServesAllExchangesInOrderOnAnotherClock() async throws {
        let clock = OtherClock()
        network.stub(.any, .hanging, times: .any)
        let session = network.timingOut(after: .seconds(10), clock: clock)
        var exchanges: [Task<ExchangeOutcome, Never>] = []
        for number in 1...5 {
            exchanges.append(Task { await session.outcome(of: .test("\(number)")) })
            await network.waitForRequests(number)
            await clock.clock.waitForSleepers()
            #expect(clock.clock.pending == [.seconds(11 - number)])
            await clock.clock.advance(by: .seconds(1))
        }

        // Their deadlines are not waited for any more, so the third is the next one.
        for index in [1, 0] {
            exchanges[index].cancel()
            #expect(await exchanges[index].value == .error(.cancelled))
        }
        await clock.clock.advance(by: .seconds(6))

        for index in 2..<5 {
            await clock.clock.waitForSleepers()
            #expect(clock.clock.pending == [.seconds(1)])
            await clock.clock.advance(by: .seconds(1))
            #expect(await exchanges[index].value == .error(.timedOut))
        }
    }

    @Test func timesOutAfterTheClockIsSetBack() async throws {
        let clock = OtherClock()
        network.stub(.any, .hanging, times: .any)
        let session = network.timingOut(after: .seconds(10), clock: clock)
        let first = Task { await session.outcome(of: .test("a")) }
        await clock.clock.waitForSleepers()
        clock.delay.withLock { $0 = .seconds(4) }
        let second = Task { await session.outcome(of: .test("b")) }
        await network.waitForRequests(2)

        // The second deadline is four seconds earlier on this clock, but it never passes the first.
        await clock.clock.advance(by: .seconds(10))
        await clock.clock.waitForSleepers()
        #expect(clock.clock.pending == [.seconds(4)])
        await clock.clock.advance(by: .seconds(4))
        #expect(await first.value == .error(.timedOut))
        #expect(await second.value == .error(.timedOut))
    }

    /// The exchange begins after the sleeping task was cancelled, and before that task knows it.
    @Test func timesOutWhileTheSleeperEnds() async throws {
        let mayEnd = Gate()
        let clock = OtherClock(mayEnd: mayEnd)
        network.stub(.any, .hanging, times: .any)
        let session = network.timingOut(after: .seconds(10), clock: clock)
        let first = Task { await session.outcome(of: .test("a")) }
        await clock.clock.waitForSleepers()
        first.cancel()
        await clock.sleeperWasCancelled.wait()

        let second = Task { await session.outcome(of: .test("b")) }
        await network.waitForRequests(2)
        mayEnd.open()
        await clock.clock.waitForSleepers()
        await clock.clock.advance(by: .seconds(10))
        #expect(await second.value == .error(.timedOut))
        #expect(await first.value == .error(.cancelled))
    }
}

/// A timeout ends each transfer whose server is silent.
@Suite(.limited, .usesSockets) struct StreamTimeoutTests {
    enum Silence: CaseIterable { case beforeTheHead, afterARedirect, withinTheBody }

    enum Way: CaseIterable { case load, stream, download }

    @Test(arguments: Transport.allCases, Silence.allCases)
    func endsEachTransfer(_ transport: Transport, _ silence: Silence) async throws {
        // This clock stands still.
        let network = MockNetwork(clock: MockClock())
        let late = MockResponse.text("late").delayed(by: .seconds(99))
        switch silence {
        case .beforeTheHead: network.stub(.get("/"), late, times: .any)
        case .afterARedirect:
            network.stub(.get("/"), .redirect(to: "/late"), times: .any)
            network.stub(.get("/late"), late, times: .any)
        case .withinTheBody:
            network.stub(.get("/"), .chunks(["a", "b"], every: .seconds(99)), times: .any)
        }
        let requestsPerWay = silence == .afterARedirect ? 2 : 1
        let client = try TestClient(transport, network)
        let folder = try TemporaryFolder()

        for (index, way) in Way.allCases.enumerated() {
            let clock = MockClock(patience: .zero)
            let received = Locked(Int64(0))
            let limited = client.session.timingOut(
                after: .seconds(5), idle: .seconds(7), clock: clock)
            let transfer = Task {
                let request = client.request("/")
                switch way {
                case .load: _ = try await limited.load(request, as: Data.self)
                case .download:
                    try await limited.fetch(request, to: folder.file) { count, _ in
                        received.withLock { $0 = count }
                    }
                case .stream:
                    var pieces: [String] = []
                    defer { #expect(pieces == (silence == .withinTheBody ? ["a"] : [])) }
                    for try await piece in try await limited.stream(request).0 {
                        pieces.append(piece.text)
                        received.withLock { $0 += Int64(piece.count) }
                    }
                }
            }
            await network.waitForRequests((index + 1) * requestsPerWay)
            if silence == .withinTheBody, way != .load {
                // The same deadline counts before the first piece and after it.
                await yieldWhile {
                    received.withLock { $0 } == 0 || clock.pendingDeadlines != [.seconds(7)]
                }
            }
            await clock.advance(by: .seconds(7))

            let error = await #expect(throws: (any Error).self) { try await transfer.value }
            let failure = error as? APIRequestError
            #expect(((failure?.underlying ?? error) as? URLError)?.code == .timedOut)
            #expect(failure?.isCancellation != true)
            #expect(clock.pendingDeadlines.isEmpty)
        }
        if transport != .loopback {
            await network.waitForResponses(Way.allCases.count * requestsPerWay)
            #expect(network.requests.last?.wasCancelled == true)
        }
        #expect(folder.content == nil)
    }
}
