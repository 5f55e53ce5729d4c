import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Explaining.md, and the texts that it shows.
@Suite(.limited, .usesSockets) struct ExplainingSamples {
    let network = MockNetwork()
    let api = URL(string: "https://api.example.com")!

    /// Sends a request that fails, and compares its text with the page.
    private func expectExplanation(
        of request: URLRequest, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = await #expect(throws: MockError.self, sourceLocation: location) {
            _ = try await MockURLSession(network).exchange(request)
        }
        let text = try #require(failure?.description)
        #expect(text.components(separatedBy: "\n").count < 25)
        try expectPage("Explaining.md", toShow: text, location)
    }

    @Test func anotherBody() async throws {
        network.stub(
            .post("/users").json(
                #"""
                {"user": {"name": "Emma", "age": 3, "tags": ["a"]},
                 "password": "hunter2"}
                """#),
            .status(201))

        let request = try URLRequest("POST", api, path: "/users")
            .body(
                Data(
                    #"{"user": {"age": 4, "tags": ["a", "b"], "admin": true}, "password": "secret"}"#
                        .utf8),
                contentType: "application/json")
        try await expectExplanation(of: request)
    }

    @Test func usedUp() async throws {
        network.stub(
            .get("/users/{id}"), .json(#"{"name": "Emma"}"#), times: .exactly(2))

        let request = try URLRequest("GET", api, path: "/users/42")
        for _ in 0..<2 { _ = try await MockURLSession(network).exchange(request) }
        try await expectExplanation(of: request)
    }
}
