import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What `print` shows of the mock's values: one line each, without a secret.
@Suite(.limited, .usesSockets) struct DescriptionTests {
    @Test(
        arguments: [
            (.json("{}"), "200 (OK), 2 bytes, application/json"),
            (.status(204), "204 (No Content)"),
            (.text("abc").header("X-Token", "hunter2"), "200 (OK), 3 bytes, text/plain"),
            (.hanging, "no answer"), (.error(.timedOut), "URLError.timedOut"),
            (.text("a").held, "200 (OK), 1 byte, text/plain, held"),
            (
                .text("a").delayed(by: .seconds(2)),
                "200 (OK), 1 byte, text/plain, delayed by 2.0 seconds"
            ),
            (
                .text("abc").chunked(by: 1, every: .seconds(1)),
                "200 (OK), 3 bytes, text/plain, 3 pieces, one every 1.0 seconds"
            ),
            (
                .text("abc").failing(afterBytes: 1),
                "200 (OK), 3 bytes, text/plain, failing after 1 byte"
            ),
            (
                .chunks(["a", "b"]).paced(timeToFirst: .seconds(2), every: .seconds(1)),
                "200 (OK), 2 bytes, text/plain, 2 pieces, the first after 2.0 seconds, one every "
                    + "1.0 seconds"
            ),
            (
                .text("a").paced(timeToFirst: .seconds(2), every: .zero),
                "200 (OK), 1 byte, text/plain, 1 piece, the first after 2.0 seconds"
            ),
            (.events(["a"]), "200 (OK), 9 bytes, text/event-stream"),
            (.stream(status: 201), "201 (Created), text/event-stream, stream"),
            (
                .stream(contentType: "text/plain") { _ in }.held.heldBody,
                "200 (OK), text/plain, stream, held, body held"
            ),
            (.status(0), "unusable response: 0 is not an HTTP status: use 100...599."),
        ] as [(MockResponse, String)])
    func describesAResponse(_ response: MockResponse, _ text: String) {
        #expect("\(response)" == text)
    }

    @Test func describesAStubAndItsNetwork() async throws {
        let network = MockNetwork()
        #expect("\(network)" == "MockNetwork with 0 stubs, 0 requests")
        let stub = network.stub(.get("/users/{id}"), .json("{}"))

        _ = try await network.urlSession.exchange(.test("users/1"))
        _ = await network.urlSession.outcome(of: .test("other"))

        #expect("\(stub)".hasPrefix("stub for method GET, path /users/{id} (MockTests/Description"))
        #expect("\(stub)".hasSuffix("), used once"))
        #expect("\(network)" == "MockNetwork with 1 stub, 2 requests, 1 unanswered")
    }
}
