import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// One order for each request: it is recorded, then counted, then whoever waits is woken.
@Suite(.timeLimit(.minutes(5)), .usesManySockets) struct JournalOrderTests {
    @Test(arguments: Carrier.allCases)
    func whoeverWaitedForAStubFindsTheRequest(_ carrier: Carrier) async throws {
        let missing = try await count(of: carrier == .loopback ? 200 : 2_000) {
            let network = MockNetwork()
            let stub = network.stub(.any, .text("x"))
            let (session, baseURL) = try carrier.open(network)
            let load = Task { try await session.exchange(URLRequest(url: baseURL)) }
            await stub.started()
            let isMissing = network.requests.isEmpty || stub.requests.isEmpty
            _ = try await load.value
            return isMissing
        }
        #expect(missing == 0)
    }

    @Test(arguments: [Carrier.urlProtocol, .mockURLSession])
    func whoeverWaitedForARequestFindsItCounted(_ carrier: Carrier) async throws {
        let missing = try await count(of: 2_000) {
            let network = MockNetwork()
            let stub = network.stub(.any, .text("x"))
            let (session, baseURL) = try carrier.open(network)
            let load = Task { try await session.exchange(URLRequest(url: baseURL)) }
            await network.waitForRequests()
            let isMissing = stub.callCount == 0
            _ = try await load.value
            return isMissing
        }
        #expect(missing == 0)
    }

    @Test(arguments: [Carrier.urlProtocol, .mockURLSession])
    func whatHasStartedIsInFlight(_ carrier: Carrier) async throws {
        let wrong = try await count(of: 500) {
            let network = MockNetwork()
            let stub = network.stub(.any, .text("x").held)
            let (session, baseURL) = try carrier.open(network)
            let loads = (0..<3).map { _ in
                Task { _ = try await session.exchange(URLRequest(url: baseURL)) }
            }
            await stub.started(3)
            let most = network.mostInFlight
            stub.release()
            for load in loads { try await load.value }
            return most != 3
        }
        #expect(wrong == 0)
    }

    /// How many of so many rounds say yes, eight at a time.
    private func count(
        of rounds: Int, _ round: @escaping @Sendable () async throws -> Bool
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<rounds / 8 where try await round() { count += 1 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
