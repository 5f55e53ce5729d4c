import APIKitLite
import APIKitLiteTesting
import TestSupport

private typealias UserRequest = TestingSamples.UserRequest
private typealias ChatRequest = StreamsSamples.ChatRequest

/// The samples of Faults.md.
@Suite(.limited) struct FaultsSamples {
    @Test func throwsALostConnection() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users/{id}"), .json(#"{"name": "Emma"}"#).failing(afterBytes: 9),
            .json(#"{"name": "Emma"}"#))

        let error = await #expect(throws: APIRequestError.self) {
            try await network.load(UserRequest(), 1)
        }
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
    }

    @Test func survivesEveryFault() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)

        let report = try await forEachFault(in: sample) { network in
            try await network.load(UserRequest(), 42)
        }

        #expect(report[.html(status: 502)] == .error(.validate))
        #expect(report[.cancelledDuring] == .error(.transport, isCancellation: true))
    }

    @Test func survivesEveryFaultOfAStream() async throws {
        let sample = MockResponse.events([#"{"choices": []}"#], until: "[DONE]")

        try await forEachFault(in: sample) { network, clock in
            let session =
                network
                .timingOut(after: .seconds(30), idle: .seconds(10), clock: clock)
            for try await _ in session.stream(ChatRequest(), "Why?") {}
        }
    }
}
