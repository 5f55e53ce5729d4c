import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The functions that wait for an event, without polling and without a clock.
@Suite(.limited, .usesSockets) struct GateTests {
    @Test(arguments: Transport.allCases, [false, true])
    func aHeldAnswerComesWhenItIsReleased(
        _ transport: Transport, isMadeByHandler: Bool
    ) async throws {
        let network = MockNetwork()
        let held = MockResponse.text("held").held
        let stub =
            isMadeByHandler ? network.stub(.any) { _ in held } : network.stub(.any, held)
        let (session, baseURL) = try transport.open(network)
        async let load = session.exchange(URLRequest(url: baseURL)).0.text

        await stub.waitForRequests()
        #expect(network.requests.first?.endTime == nil)
        stub.release()

        #expect(try await load == "held")
        #expect(network.requests.first?.endTime != nil)
        // The stub no longer holds its answers.
        #expect(try await session.exchange(URLRequest(url: baseURL)).0.text == "held")
    }

    @Test(arguments: Transport.allCases)
    func aHeldRequestCanBeCancelled(_ transport: Transport) async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("held").held)
        let (session, baseURL) = try transport.open(network)
        let load = Task { try await session.exchange(URLRequest(url: baseURL)).0.text }
        await stub.waitForRequests()

        load.cancel()

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .cancelled)
        stub.release()
        try network.verify()
    }

    @Test(arguments: Transport.allCases)
    func waitsForRequests(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let (session, baseURL) = try transport.open(network)
        let loads = ["a", "b", "a"].map { path in
            Task { try await session.exchange(URLRequest(url: baseURL.appending(path: path))) }
        }

        let all = await network.waitForRequests(3)
        #expect(all.count == 3)
        let some = await network.waitForRequests(2, matching: .get("/a"))
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
