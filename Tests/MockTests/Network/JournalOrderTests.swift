import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The order for each request: the network records it, counts it, and then wakes the waiting tasks.
///
/// Whoever waits here runs within the call that wakes it.
@Suite(.limited, .usesSockets) struct JournalOrderTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Transport.allCases, [1, 3])
    func whoeverWaitedFindsTheRequestCounted(_ transport: Transport, _ count: Int) async throws {
        let client = try TestClient(transport)
        let network = client.network
        let stub = network.stub(.any, .text("x").held)
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

        for found in found {
            #expect(await found.value == Array(repeating: count, count: 3))
        }
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
