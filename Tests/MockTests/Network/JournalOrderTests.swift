import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The order for each request: the network records it, counts it, and then wakes the waiting tasks.
///
/// Whoever waits here runs within the call that wakes it.
@Suite(.limited, .usesSockets) struct JournalOrderTests {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Transport.allCases)
    func whoeverWaitedForAStubFindsTheRequest(_ transport: Transport) async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("x").held)
        let (session, baseURL) = try transport.open(network)
        let found = Task(executorPreference: AtOnceExecutor()) {
            await stub.waitForRequests(3)
            return [network.requests.count, stub.requests.count, stub.callCount]
        }
        let loads = (0..<3).map { _ in
            Task { _ = try await session.exchange(URLRequest(url: baseURL)) }
        }

        #expect(await found.value == [3, 3, 3])
        stub.release()
        for load in loads { try await load.value }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Transport.allCases)
    func whoeverWaitedForARequestFindsItCounted(_ transport: Transport) async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("x"))
        let (session, baseURL) = try transport.open(network)
        let found = Task(executorPreference: AtOnceExecutor()) {
            await network.waitForRequests()
            return [network.requests.count, stub.requests.count, stub.callCount]
        }

        _ = try await session.exchange(URLRequest(url: baseURL))

        #expect(await found.value == [1, 1, 1])
    }

    // The request is in the journal before its handler runs.
    @Test(arguments: Transport.allCases)
    func aHandlerFindsItsRequest(_ transport: Transport) async throws {
        let network = MockNetwork()
        let counts = Recorder<Int>()
        network.stub(.any) { [weak network] _ in
            counts.append(network?.requests.count ?? 0)
            return .text("x")
        }
        let (session, baseURL) = try transport.open(network)

        _ = try await session.exchange(URLRequest(url: baseURL))

        #expect(await counts.events { _ in true } == [1])
    }
}
