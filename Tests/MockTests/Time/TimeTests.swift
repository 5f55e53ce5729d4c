import TestSupport

@testable import APIKitLiteTesting

/// Delays, slow bodies and timeouts, over every way into a network, on clocks of every kind.
@Suite(.limited, .usesSockets) struct TimeTests {
    // A handler has a timeout, too, which does not count as a second sleeper.
    @Test(arguments: Transport.allCases, [false, true])
    func aDelayedResponseWaitsForTheClock(_ transport: Transport, isHandler: Bool) async throws {
        let clock = MockClock(patience: .zero)
        // The time of a network counts from its creation.
        await clock.advance(by: .seconds(5))
        let network = MockNetwork(clock: clock)
        let late = MockResponse.text("late").delayed(by: .seconds(20))
        network.stub(.any, late)
        if isHandler { network.stub(.any) { _ in late } }
        let load = try transport.outcome(in: network)

        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(20)])
        await clock.advance(by: .seconds(19))
        #expect(network.requests.first?.endTime == nil)
        await clock.advance(by: .seconds(1))

        #expect(await load.value == .body("late"))
        #expect(network.requests.first?.startTime == .zero)
        #expect(network.requests.first?.endTime == .seconds(20))
    }

    @Test(arguments: Transport.allCases)
    func aCancelledRequestLeavesTheClock(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(.text("late").delayed(by: .seconds(20)), clock: clock)
        let load = try transport.outcome(in: network)
        await clock.waitForSleepers()

        load.cancel()

        #expect(await load.value == .error(.cancelled))
        // Over a socket it shows a moment later; over a URLProtocol its work ends in the background.
        await clock.advance(by: .seconds(20))
        #expect(clock.pending.isEmpty)
    }

    @Test func realTimePassesOnAContinuousClock() async throws {
        let network = MockNetwork(
            .text("late").delayed(by: .milliseconds(20)), clock: ContinuousClock())

        let taken = try await ContinuousClock().measure {
            _ = try await network.urlSession.exchange(.test("a"))
        }

        #expect(taken >= .milliseconds(20))
        let request = try #require(network.requests.first)
        #expect(try #require(request.endTime) - request.startTime >= .milliseconds(20))
    }

    @Test func aHeldDelayBeginsWhenItIsReleased() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.any, .text("x").delayed(by: .seconds(5)).held)
        let load = try Transport.direct.outcome(in: network)
        await stub.waitForRequests()
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(10))

        stub.release()
        // The timeout of the gate may be there for another moment.
        await clock.waitForSleepers(within: .seconds(5))
        #expect(clock.pending.first == .seconds(5))
        await clock.advance(by: .seconds(5))

        #expect(await load.value == .body("x"))
        #expect(network.requests.first?.endTime == .seconds(15))
    }

    // A released response is given in a task of its own. The clock waits for it, however long it
    // takes.
    @Test(arguments: [false, true])
    func whatIsDueArrivesWhileTheClockMoves(_ isReleasedBefore: Bool) async throws {
        for _ in 0..<60 {
            let clock = MockClock()
            let network = MockNetwork(clock: clock)
            let late = MockResponse.text("abc").chunked(by: 1, every: .seconds(5))
            let stub = network.stub(.any, late.delayed(by: .seconds(5)).held)
            if isReleasedBefore { stub.release() }
            let load = try Transport.direct.outcome(in: network)
            await stub.waitForRequests()

            stub.release()
            await clock.advance(by: .seconds(15))

            let request = network.requests.first
            #expect(request?.endTime == .seconds(15))
            #expect(request?.sent.map(\.time) == [.seconds(5), .seconds(10), .seconds(15)])
            #expect(await load.value == .body("abc"))
        }
    }

    /// The clock does not wait for a handler that has returned, however patient it is.
    @Test func aHandlerThatHasReturnedDoesNotHoldTheClock() async throws {
        let clock = MockClock(patience: .seconds(900))
        let network = MockNetwork(clock: clock)
        network.stub(.any) { _ in
            try await clock.sleep(for: .seconds(1))
            return .hanging
        }
        let load = try Transport.direct.outcome(in: network)
        await clock.waitForSleepers()

        await clock.advance(by: .seconds(2))

        #expect(network.requests.map(\.endTime) == [nil])
        load.cancel()
        #expect(await load.value == .error(.cancelled))
    }

    /// The handler and the gate of one request have a timeout each, one after the other.
    @Test(arguments: [Transport.urlProtocol, .direct])
    func noTimeoutIsLeftOfAHeldHandler(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.any) { _ in .text("x").held }
        let load = try transport.outcome(in: network)
        await clock.waitForSleepers()
        await yieldWhile { !clock.pendingDeadlines.isEmpty }
        #expect(clock.pending == [.seconds(60)])

        stub.release()

        #expect(await load.value == .body("x"))
        // A timeout that is replaced while it is set may be there for another moment.
        await yieldWhile { !clock.pending.isEmpty || !clock.pendingDeadlines.isEmpty }
    }
}
