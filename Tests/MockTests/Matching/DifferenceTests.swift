import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// The texts about a value that differs and about an almost equal path.
@Suite(.limited) struct DifferenceTests {
    private func details(_ matcher: RequestMatcher, _ request: URLRequest) throws -> [String] {
        try #require(matcher.report(on: request).lines.compactMap(\.difference).first).details
    }

    @Test(arguments: [
        ("/users/{id}", "https://h/v1/users/42", "If the base URL adds /v1, write /v1/users/{id}."),
        ("users", "https://h/api/v1/users", "If the base URL adds /api/v1, write /api/v1/users."),
        ("/users", "https://h/a%20b/users", "If the base URL adds /a b, write /a b/users."),
        ("/users/:id", "https://h/users/42", "Write {id} for :id: names are in braces."),
        ("/files/*", "https://h/files/a", "Write a name in braces for *, such as {name}."),
        (
            "/v1/users/{id}", "https://h/users/42",
            "The request lacks /v1. Perhaps its URL was made without the path of the base URL."
        ),
        ("/v1/users/{id}", "https://h/v1//users/42", "The request has an empty segment: //."),
        ("/users/", "https://h//users/", "The request has an empty segment: //."),
        ("/users/", "https://h/users", "They differ in the slash at the end."),
        ("/users", "https://h/users/", "They differ in the slash at the end."),
    ])
    func advisesOnAPath(_ template: String, _ url: String, _ advice: String) throws {
        #expect(try details(.path(template), .url(url)) == [advice])
    }

    @Test(arguments: [
        ("/users/", "https://h/user"), ("/users", "https://h/v1/books"), ("/", "https://h/a/"),
        ("/{id}", "https://h/users/42"), ("/users", "https://h/users/42"),
        ("/v1/{id}", "https://h/users"), ("/v1/users", "https://h//books"),
    ])
    func givesNoAdviceOnAnotherPath(_ template: String, _ url: String) throws {
        #expect(try details(.path(template), .url(url)) == [])
    }

    @Test(arguments: [
        (
            "{\"caf\u{e9}\": 1}", "{\"cafe\u{301}\": 1}",
            ["$.caf\u{e9}: expected 1, got nothing", "$.cafe\u{301}: expected nothing, got 1"]
        ),
        (
            "[\"caf\u{e9}\"]", "[\"cafe\u{301}\"]",
            ["$[0]: expected \"caf\u{e9}\" of 4 characters, got one of 5"]
        ),
    ])
    func saysThatTextHasAnotherForm(
        _ expected: String, _ actual: String, _ details: [String]
    ) throws {
        let lines = try self.details(.any.json(expected), .json(actual))
        #expect(lines.map { Array($0.utf8) } == details.map { Array($0.utf8) }, "\(lines)")
    }

    /// A report explains the matcher of which most criteria hold.
    @Test func namesTheNearestOfSeveralMatchers() throws {
        let matcher = RequestMatcher.anyOf(
            .put("/books"), .post("/users").query("q"), .put("/users"))

        #expect(
            try details(matcher, .url("https://h/users", method: "POST")) == [
                "✓ method POST", "✓ path /users",
                "✗ query q with any value, but the request has no q",
            ])
        // A criterion that nearly holds counts too.
        #expect(
            try details(.anyOf(.get("/users"), .get("/books")), .url("https://h/v1/users")) == [
                "✓ method GET", "✗ path /users, but the request has /v1/users",
                "    If the base URL adds /v1, write /v1/users.",
            ])
    }

    /// A criterion that holds counts more than one that nearly holds. Of two stubs that are equally
    /// near, the newer one is shown.
    @Test(
        arguments: [
            ([.method("POST").path("/books"), .path("/users")], 0),
            ([.path("/users"), .method("POST").path("/books")], 1),
            ([.any.json(#"{"a":1,"b":0}"#), .any.json(#"{"a":0,"b":0}"#)], 0),
            ([.path("/books"), .path("/authors")], 1),
        ] as [([RequestMatcher], Int)])
    func showsTheNearestStub(_ matchers: [RequestMatcher], _ nearest: Int) async throws {
        let network = MockNetwork()
        for (index, matcher) in matchers.enumerated() {
            network.stub(matcher, .text("x"), fileID: "A/B.swift", line: UInt(index))
        }
        var request = URLRequest.json(#"{"a":1,"b":1}"#)
        request.url = URL(string: "https://h/v1/users")

        let failure = await #expect(throws: MockError.self) { try await network.exchange(request) }

        let text = try #require(failure).description
        #expect(text.contains("The nearest of 2 stubs (A/B.swift:\(nearest)):"), "\(text)")
    }

    @Test func prefersTheStubWithoutTheBasePath() async throws {
        let network = MockNetwork()
        for path in ["/users/{id}", "/books", "/authors"] { network.stub(.get(path), .text("x")) }

        let failure = await #expect(throws: MockError.self) {
            try await network.exchange(.test("v1/users/42"))
        }

        let text = try #require(failure).description
        #expect(text.contains("  ✗ path /users/{id}, but the request has /v1/users/42"))
        #expect(text.contains("\n      If the base URL adds /v1, write /v1/users/{id}.\n"))
    }
}
