import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct GateTests {
    @Test(arguments: Transport.allCases, [false, true])
    func aHeldResponseComesWhenItIsReleased(
        _ transport: Transport, isMadeByHandler: Bool
    ) async throws {
        let client = try TestClient(transport)
        let network = client.network
        let held = MockResponse.text("held").held
        let stub = isMadeByHandler ? network.stub(.any) { _ in held } : network.stub(.any, held)
        async let load = client.load()

        await stub.waitForRequests()
        #expect(network.requests.first?.endTime == nil)
        stub.release()

        #expect(try await load == "held")
        #expect(network.requests.first?.endTime != nil)
        // The stub no longer holds its responses.
        #expect(try await client.load() == "held")
    }

    @Test(arguments: Transport.allCases)
    func aHeldRequestCanBeCancelled(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport, .text("held").held)
        let load = Task { try await client.load() }
        await stub.waitForRequests()

        load.cancel()

        #expect(await urlErrorCode { try await load.value } == .cancelled)
        stub.release()
        try client.network.verify()
    }

    @Test(arguments: Transport.allCases)
    func waitsForRequests(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.any, .hanging)
        let loads = ["a", "b", "a"].map { path in Task { try await client.load(path) } }

        #expect(await client.network.waitForRequests(3).count == 3)
        let some = await client.network.waitForRequests(2, matching: .get("/a"))
        #expect(some.map { $0.request.url?.path } == ["/a", "/a"])

        for load in loads { load.cancel() }
        for load in loads { _ = await load.result }
    }

    @Test func waitingEndsWithItsTask() async {
        let clock = MockClock()
        let network = MockNetwork()
        let stub = network.stub(.any, .text("x"))
        let waits: [@Sendable () async -> Void] = [
            { await clock.waitForSleepers() }, { await clock.waitForSleepers(within: .seconds(1)) },
            { await network.waitForRequests() },
            { await network.waitForRequests(2, matching: .get("/a")) },
            { await stub.waitForRequests() },
        ]
        for wait in waits {
            let waiting = Task { await wait() }
            waiting.cancel()
            await waiting.value
        }
        #expect(network.requests.isEmpty)
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func waitsForResponses(_ transport: Transport) async throws {
        let network = MockNetwork()
        let held = network.stub(.get("/held"), .text("x").held)
        network.stub(.get("/now"), .text("x"))
        let session = try transport.open(network).session
        let loads = ["held", "now"].map { path in Task { try await session.exchange(.test(path)) } }

        let first = await network.waitForResponses()
        #expect(first.map(\.request.url?.path) == ["/now"])
        await held.waitForRequests()
        held.release()
        let both = await network.waitForResponses(1, matching: .get("/held"))
        #expect(both.map(\.request.url?.path) == ["/held"])
        #expect(both.first?.endTime != nil)
        for load in loads { _ = try await load.value }
        #expect(await network.waitForResponses(2).count == 2)
    }

    // The network records a request, counts it, and then wakes the waiting tasks. Whoever waits here
    // runs within the call that wakes it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Transport.allCases, [1, 3])
    func whoeverWaitedFindsTheRequestCounted(_ transport: Transport, _ count: Int) async throws {
        let (client, stub) = try TestClient.stubbed(transport, .text("x").held)
        let network = client.network
        let counts = { @Sendable in [network.requests.count, stub.requests.count, stub.callCount] }
        let found = [
            Task(executorPreference: AtOnceExecutor()) {
                await stub.waitForRequests(count)
                return counts()
            },
            Task(executorPreference: AtOnceExecutor()) {
                await network.waitForRequests(count)
                return counts()
            },
        ]
        let loads = (0..<count).map { _ in Task { _ = try await client.load() } }

        for found in found { #expect(await found.value == Array(repeating: count, count: 3)) }
        stub.release()
        for load in loads { try await load.value }
    }

    @Test(arguments: Transport.allCases)
    func aHandlerFindsItsRequest(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.any) { [weak network = client.network] _ in
            .text("\(network?.requests.count ?? 0)")
        }

        #expect(try await client.load() == "1")
    }
}
