import TestSupport

@testable import APIKitLiteTesting

extension Transport {
    /// The outcome of a request to a network.
    func outcome(
        in network: MockNetwork, timeout: Double = 60
    ) throws -> Task<ExchangeOutcome, Never> {
        let client = try TestClient(self, network)
        var request = client.request()
        request.timeoutInterval = timeout
        return Task { [request] in await client.session.outcome(of: request) }
    }
}

/// Requests that wait too long, on the clock of their network.
@Suite(.limited, .usesSockets) struct TimeoutTests {
    @Test(arguments: [Transport.urlProtocol, .direct])
    func aRequestTimesOutOnTheNetworksClock(_ transport: Transport) async throws {
        let responses: [MockResponse] = [
            .hanging, .text("x").held, .text("x").delayed(by: .seconds(31)),
            .text("xyz").chunked(by: 1, every: .seconds(31)),
        ]
        for response in responses {
            let clock = MockClock()
            let network = MockNetwork(response, clock: clock)
            let load = try transport.outcome(in: network, timeout: 30)

            await clock.waitForSleepers()
            await clock.advance(by: .seconds(30))

            #expect(await load.value == .error(.timedOut))
            #expect(clock.pending.isEmpty)
            try network.verify()
        }
    }

    /// Each piece of a body starts the timeout anew, and what comes at the timeout is in time.
    @Test(arguments: [Transport.urlProtocol, .direct])
    func aBodyWhoseNextPieceIsNotLateArrives(_ transport: Transport) async throws {
        for (response, body, end) in [
            (MockResponse.text("abc").chunked(by: 1, every: .seconds(20)), "abc", 40),
            (.text("x").delayed(by: .seconds(30)), "x", 30),
        ] {
            let clock = MockClock(patience: .zero)
            let network = MockNetwork(response, clock: clock)
            let load = try transport.outcome(in: network, timeout: 30)
            await network.waitForRequests()
            await clock.advance(by: .seconds(end + 1))

            #expect(await load.value == .body(body))
            #expect(network.requests.first?.endTime == .seconds(end))
        }
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func aHandlerThatTakesTooLongTimesOutAndIsCancelled(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        let (hasStarted, mayRespond) = (Gate(), Gate())
        let handlers = Recorder<String>()
        network.stub(.any) { _ in
            await withTaskCancellationHandler {
                hasStarted.open()
                // It ignores its cancellation.
                await Task { await mayRespond.wait() }.value
            } onCancel: {
                handlers.append("cancelled")
            }
            return .text("too late")
        }
        let load = try transport.outcome(in: network, timeout: 30)

        await hasStarted.wait()
        await clock.advance(by: .seconds(30))

        #expect(await load.value == .error(.timedOut))
        #expect(await handlers.events { _ in true } == ["cancelled"])
        #expect(network.requests.map(\.endTime) == [.seconds(30)])
        mayRespond.open()
    }

    /// Zero is no timeout, and a longer one than any clock can measure is cut.
    @Test(arguments: [0, 1e300, .infinity])
    func aTimeoutMayNeverEnd(_ timeout: Double) async throws {
        let clock = MockClock()
        let network = MockNetwork(.hanging, clock: clock)
        let load = try Transport.direct.outcome(in: network, timeout: timeout)

        await clock.waitForSleepers()

        #expect(clock.pending == [.seconds(1_000_000_000)])
        load.cancel()
        #expect(await load.value == .error(.cancelled))
    }

    @Test func theSessionsTimeoutCountsWhereTheRequestHasNone() async throws {
        let clock = MockClock()
        let network = MockNetwork(.hanging, clock: clock)
        let configuration = network.configuration
        configuration.timeoutIntervalForRequest = 7
        let session = URLSession(configuration: configuration)
        let load = Task { try await session.exchange(.test("a")) }

        #if canImport(FoundationNetworking)
        let timeout = Duration.seconds(7)
        #else
        // A mock does not know the session of a task there.
        let timeout = Duration.seconds(60)
        #endif
        await clock.waitForSleepers()
        #expect(clock.pending == [timeout])
        await clock.advance(by: timeout)

        #expect(await urlErrorCode { try await load.value } == .timedOut)
    }
}
