import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of "A test that waits says why".
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct WaitReportSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func saysWhyNoRequestComes() async throws {
        let reports = Locked<[String]>([])
        let reporter = WaitReporter { text in reports.withLock { $0.append(text) } }
        try await WaitReporter.$current.withValue(reporter, operation: waitsForAnotherPath)

        let text = reports.withLock { $0.joined() }
        // Line numbers differ in the guide.
        #expect(text.hasPrefix("APIKitLiteTesting: stub.started() (DocumentationTests/"))
        // In real time, a busy machine reports that the wait has lasted before it ends.
        #expect(
            text.contains(
                ": 0 of 1 request came to the stub for method GET, path /user/{id} ("))
        #expect(text.contains("\n    No stub answers GET https://api.example.com/users/42.\n"))
    }

    @Sendable private func waitsForAnotherPath() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/user/{id}"), .json(#"{"name": "Emma"}"#).held)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let load = Task { try await loader.load(42) }
        await stub.started()
        stub.release()

        await #expect(throws: APIRequestError.self) { try await load.value }
    }
}
