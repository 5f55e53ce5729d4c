import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

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

    @Test func aRecordedRequestIsReadInParts() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(204))
        let body = #"{"name": "Emma", "age": 7}"#
        var request = URLRequest.test("users/a b", method: "POST", body: body)
        request.setValue("fr", forHTTPHeaderField: "Accept-Language")

        _ = try await network.urlSession.exchange(request)

        let recorded = try #require(network.requests.first)
        #expect(recorded.url == request.url)
        #expect(recorded.method == "POST")
        #expect(recorded.path == "/users/a b")
        #expect(recorded.header("accept-language") == "fr")
        #expect(recorded.header("X-Other") == nil)
        #expect(recorded.json == #"{"age":7,"name":"Emma"}"#)
        #expect(RecordedRequest(request: .test("a", body: "no JSON")).json == nil)
    }
}
