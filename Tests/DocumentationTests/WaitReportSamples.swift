import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of "A test that waits says why".
@Suite(.limited, .usesSockets) struct WaitReportSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func aStubThatNoRequestReaches() async throws {
        let test = Task { try await waitsForAnotherPath() }
        // Otherwise it waits for ever, as the guide says.
        test.cancel()
        try await test.value
    }

    private func waitsForAnotherPath() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/user/{id}"), .json(#"{"name": "Emma"}"#).held)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let load = Task { try await loader.load(42) }
        await stub.started()
        stub.release()

        await #expect(throws: APIRequestError.self) { try await load.value }
    }
}
