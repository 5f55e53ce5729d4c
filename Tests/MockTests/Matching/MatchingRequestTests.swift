import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A request value as a matcher.
@Suite(.limited) struct MatchingRequestTests {
    @Test(arguments: [
        MatchCase(
            .request(.query("?a=1&b")), takes: [.query("?b&a=1"), .query("?a=1&b").with("X", "y")],
            leaves: [
                .query("?a=1"), .query("?a=1&b&c"), .url("https://h/b?a=1&b"),
                .url("http://h/a?a=1&b"), .url("https://g/a?a=1&b"), .url("https://h:1/a?a=1&b"),
                .url("https://h/a?a=1&b", method: "PUT"),
            ]),
        MatchCase(
            .request(.json(#"{"a":1,"b":2}"#)), takes: [.json(#"{"b": 2.0, "a": 1}"#)],
            leaves: [
                .json(#"{"a":1}"#), .json(""),
                .json(#"{"a":1,"b":2}"#).with("Content-Type", "text/json"),
            ]),
        MatchCase(
            .request(.form("a=1&b=2")), takes: [.form("b=2&a=1")],
            leaves: [.form("a=1"), .form("a=1&b=2&c")]),
        MatchCase(
            .request(.form("x", type: "text/plain")), takes: [.form("x", type: "text/plain")],
            leaves: [.form("y", type: "text/plain")]),
        MatchCase(
            .request(.query("").with("X-A", "1").with("X-B", "2")),
            takes: [.query("").with("X-B", "2").with("x-a", "1")],
            leaves: [.query("").with("X-A", "1"), .query("").with("X-A", "2").with("X-B", "2")]),
        // Only a POST without a type is a form.
        MatchCase(
            .request(.test("a", method: "PUT", body: "a=1&b=2")),
            takes: [.test("a", method: "PUT", body: "a=1&b=2")],
            leaves: [.test("a", method: "PUT", body: "b=2&a=1")]),
        // An empty body is none, so a GET may have it.
        MatchCase(
            .request(.test("a", body: "")), takes: [.test("a"), .test("a", body: "")],
            leaves: [.test("a", method: "POST")]),
        MatchCase(
            .request(.url("https://h/%7Bid%7D")), takes: [.url("https://h/%7Bid%7D")],
            leaves: [.url("https://h/x")]),
    ])
    func matchesTheRequestThatItIsMadeFrom(_ row: MatchCase) { row.check() }

    @Test func readsTheStreamOfARequest() throws {
        var value = URLRequest.test("a", method: "POST")
        value.httpBodyStream = InputStream(data: Data("[1]".utf8))

        MatchCase(
            .request(value), takes: [.test("a", method: "POST", body: "[1.0]")],
            leaves: [.test("a", method: "POST", body: "[2]"), .test("a", method: "POST")]
        ).check()
    }

    @Test(arguments: [false, true])
    func refusesAGetWithABody(_ isStream: Bool) throws {
        var value = URLRequest.test("a")
        if isStream {
            value.httpBodyStream = InputStream(data: Data("[1]".utf8))
        } else {
            value.httpBody = Data("[1]".utf8)
        }
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
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        func request(_ text: String, _ path: String) throws -> RecordedRequest {
            let url = try #require(URL(string: "https://h"))
            let request = try URLRequest(
                "POST", url, path: "/{a}", ["a": path], query: [text: text]
            )
            .multipartBody([.file(text, fileName: text, data: Data())])
            return RecordedRequest(request: try request.header("X", text))
        }

        #expect(try matcher.report(on: request(composed, composed)).isMatch)
        #expect(try !matcher.report(on: request(decomposed, composed)).isMatch)
        #expect(try !matcher.report(on: request(decomposed, decomposed)).isMatch)
    }
}
