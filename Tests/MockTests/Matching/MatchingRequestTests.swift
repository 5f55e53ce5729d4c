import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct MatchingRequestTests {
    @Test func matchesTheRequestThatItIsMadeFrom() {
        expect(
            .request(.url("?a=1&b")), takes: [.url("?b&a=1"), .url("?a=1&b").with("X", "y")],
            leaves: [.url("https://h/a?a=1&b", method: "PUT")])
        expect(
            .request(.url("?a=1&b")),
            leaves: [
                "?a=1", "?a=1&b&c", "https://h/b?a=1&b", "http://h/a?a=1&b", "https://g/a?a=1&b",
                "https://h:1/a?a=1&b",
            ])
        expect(
            .request(.json(#"{"a":1,"b":2}"#)), takes: [.json(#"{"b": 2.0, "a": 1}"#)],
            leaves: [.json(#"{"a":1}"#), .json(""), .form(#"{"a":1,"b":2}"#, type: "text/json")])
        expect(
            .request(.form("a=1&b=2")), takes: [.form("b=2&a=1")],
            leaves: [.form("a=1"), .form("a=1&b=2&c")])
        expect(
            .request(.form("x", type: "text/plain")), takes: [.form("x", type: "text/plain")],
            leaves: [.form("y", type: "text/plain")])
        expect(
            .request(.url("").with("X-A", "1").with("X-B", "2")),
            takes: [.url("").with("X-B", "2").with("x-a", "1")],
            leaves: [.url("").with("X-A", "1"), .url("").with("X-A", "2").with("X-B", "2")])
        // Only a POST without a type is a form.
        let put = URLRequest.test("a", method: "PUT", body: "a=1&b=2")
        expect(.request(put), takes: [put], leaves: [.test("a", method: "PUT", body: "b=2&a=1")])
        // An empty body is none, so a GET may have it.
        expect(
            .request(.test("a", body: "")), takes: [.test("a"), .test("a", body: "")],
            leaves: [.test("a", method: "POST")])
        expect(
            .request(.url("https://h/%7Bid%7D")), takes: ["https://h/%7Bid%7D"],
            leaves: ["https://h/x"])
    }

    @Test func readsTheStreamOfARequest() {
        var value = URLRequest.test("a", method: "POST")
        value.httpBodyStream = InputStream(data: Data("[1]".utf8))

        expect(
            .request(value), takes: [.test("a", method: "POST", body: "[1.0]")],
            leaves: [.test("a", method: "POST", body: "[2]"), .test("a", method: "POST")])
    }

    @Test(arguments: [false, true])
    func refusesAGetWithABody(_ isStream: Bool) throws {
        var value = URLRequest.test("a", body: isStream ? nil : "[1]")
        if isStream { value.httpBodyStream = InputStream(data: Data("[1]".utf8)) }
        let network = MockNetwork()
        network.stub(.request(value), .text(""))

        let error = try #require(throws: VerificationError.self) { try network.verify() }
        let reason = ".request(_:) was given a GET with a body, which a URLSession does not send."
        #expect(error.description.contains(reason), "\(error)")
    }

    /// A session trims headers and omits blank ones.
    @Test(.usesSockets, arguments: Transport.allCases)
    func matchesHeadersAsTheyAreSent(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        let value = client.request(headers: ["X-A": " 1\t", "X-B": " "])
        client.network.stub(.any, .text("any"))
        client.network.stub(.request(value), .text("request"))

        for (request, text) in [(value, "request"), (value.with("X-A", "2"), "any")] {
            #expect(try await client.session.exchange(request).0.text == text)
        }
    }

    /// A server compares bytes.
    @Test(arguments: [
        RequestMatcher.path("/é").query(["é": "é"]),
        .any.path(exactly: "/é").query(exactly: ["é": "é"]),
        .path("/é").header("X", "é"), .path("/é").part("é", fileName: "é"), .any.query("é"),
    ])
    func tellsTwoFormsOfACharacterApart(_ matcher: RequestMatcher) throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        func request(_ text: String, _ path: String) throws -> URLRequest {
            try URLRequest(
                "POST", URL(string: "https://h")!, path: "/{a}", ["a": path], query: [text: text]
            ).multipartBody([.file(text, fileName: text, data: Data())]).header("X", text)
        }

        expect(
            matcher, takes: [try request(composed, composed)],
            leaves: [try request(decomposed, composed), try request(decomposed, decomposed)])
    }
}
