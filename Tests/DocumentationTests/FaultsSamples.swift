import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private typealias UserRequest = TestingSamples.UserRequest
private typealias ChatRequest = StreamsSamples.ChatRequest

extension StreamsSamples.ChatRequest {
    fileprivate init() {
        self.init(baseURL: URL(string: "https://api.example.com")!)
    }
}

/// The samples of Faults.md.
@Suite(.limited, .usesManySockets) struct FaultsSamples {
    @Test func throwsALostConnection() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users/{id}"), .json(#"{"name": "Emma"}"#).failing(afterBytes: 9),
            .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(1) }

        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
    }

    @Test func survivesEveryFault() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)

        let report = try await forEachFault(in: sample) { network in
            let loader = APIRequestLoader(
                apiRequest: UserRequest(), urlSession: network)
            return try await loader.load(42)
        }

        #expect(report[.html(status: 502)] == .error(.validate))
        #expect(report[.cancelledDuring] == .error(.transport, isCancellation: true))
    }

    @Test func survivesEveryFaultOfAStream() async throws {
        let sample = MockResponse.events([StreamsSamples.delta("Hel")], until: "[DONE]")

        try await forEachFault(in: sample) { network, clock in
            let session =
                network
                .timingOut(after: .seconds(30), idle: .seconds(10), clock: clock)
            for try await _ in session.stream(ChatRequest(), "Why?") {}
        }
    }
}
