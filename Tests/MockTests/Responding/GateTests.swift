import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct GateTests {
    @Test(arguments: Transport.allCases, [false, true])
    func aHeldAnswerComesWhenItIsReleased(
        _ transport: Transport, isMadeByHandler: Bool
    ) async throws {
        let client = try TestClient(transport)
        let network = client.network
        let held = MockResponse.text("held").held
        let stub =
            isMadeByHandler ? network.stub(.any) { _ in held } : network.stub(.any, held)
        async let load = client.load()

        await stub.waitForRequests()
        #expect(network.requests.first?.endTime == nil)
        stub.release()

        #expect(try await load == "held")
        #expect(network.requests.first?.endTime != nil)
        // The stub no longer holds its answers.
        #expect(try await client.load() == "held")
    }

    @Test(arguments: Transport.allCases)
    func aHeldRequestCanBeCancelled(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        let stub = client.network.stub(.any, .text("held").held)
        let load = Task { try await client.load() }
        await stub.waitForRequests()

        load.cancel()

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .cancelled)
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
        let network = MockNetwork()
        let stub = network.stub(.any, .text("x"))
        let waits: [@Sendable () async -> Void] = [
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

    @Test func thousandsWaitForOneStub() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("x").held)
        let session = network
        let promises = (1...1000).map { number in
            Task {
                await stub.waitForRequests(number)
                return stub.callCount >= number
            }
        }
        let loads = (1...1000).map { _ in Task { try await session.exchange(.test("a")).0.text } }

        for promise in promises { #expect(await promise.value) }
        stub.release()
        for load in loads { #expect(try await load.value == "x") }
        #expect(stub.callCount == 1000)
    }
}
