import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// One row of a table: a matcher, and requests that it takes or leaves.
struct MatchCase: CustomTestStringConvertible, Sendable {
    let matcher: RequestMatcher
    let takes: [URLRequest]
    let leaves: [URLRequest]

    init(_ matcher: RequestMatcher, takes: [URLRequest], leaves: [URLRequest]) {
        (self.matcher, self.takes, self.leaves) = (matcher, takes, leaves)
    }

    var testDescription: String { "\(matcher)" }

    func check(_ location: SourceLocation = #_sourceLocation) {
        for request in takes {
            let report = matcher.report(on: RecordedRequest(request: request))
            #expect(report.isMatch, "\(request.curlCommand())", sourceLocation: location)
        }
        for request in leaves {
            let report = matcher.report(on: RecordedRequest(request: request))
            #expect(!report.isMatch, "\(request.curlCommand())", sourceLocation: location)
        }
    }
}

extension URLRequest {
    static func url(_ text: String, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: URL(string: text)!)
        request.httpMethod = method
        return request
    }

    static func query(_ text: String) -> URLRequest { .url("https://h/a" + text) }

    static func json(_ text: String) -> URLRequest {
        var request = URLRequest.test("a", method: "POST", body: text)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    static func form(_ text: String, type: String? = "application/x-www-form-urlencoded")
        -> URLRequest
    {
        var request = URLRequest.test("a", method: "POST", body: text)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        return request
    }

    func with(_ name: String, _ value: String) -> URLRequest {
        var request = self
        request.setValue(value, forHTTPHeaderField: name)
        return request
    }
}

@Suite struct RequestMatcherTests {
    @Test(arguments: [
        MatchCase(.any, takes: [.url("https://h"), .url("x:y")], leaves: []),
        MatchCase(
            .method("PURGE"), takes: [.url("https://h", method: "PURGE")],
            leaves: [.url("https://h"), .url("https://h", method: "purge")]),
        MatchCase(
            .scheme("HTTPS"), takes: [.url("https://h"), .url("HTTPS://h")],
            leaves: [.url("http://h")]),
        MatchCase(
            .host("API.example.com"),
            takes: [.url("https://api.example.com/x"), .url("http://u:p@Api.Example.com:81")],
            leaves: [.url("https://example.com"), .url("https://api.example.com.evil")]),
        MatchCase(
            .host("[::1]"), takes: [.url("http://[::1]:80/")], leaves: [.url("http://[::2]")]),
        MatchCase(
            .port(443), takes: [.url("https://h"), .url("http://h:443")],
            leaves: [.url("http://h"), .url("https://h:8443")]),
        MatchCase(
            .path("/users/{id}"),
            takes: [.url("https://h/users/42?x"), .url("https://h/users/a%2Fb")],
            leaves: [
                .url("https://h/users/"), .url("https://h/users/4/2"), .url("https://h/users"),
            ]),
        MatchCase(
            .get("/"), takes: [.url("https://h"), .url("https://h/?a")],
            leaves: [.url("https://h/a")]),
        MatchCase(
            .path(exactly: "/{a}/b%2Fc"), takes: [.url("https://h/%7Ba%7D/b%2Fc")],
            leaves: [.url("https://h/x/b%2Fc"), .url("https://h/%7Ba%7D/b/c")]),
        MatchCase(
            .path(prefix: "/v1"), takes: [.url("https://h/v1"), .url("https://h/v1/users/1")],
            leaves: [.url("https://h/v10"), .url("https://h/x/v1"), .url("https://h")]),
        MatchCase(
            .path(prefix: "/users/{id}/"), takes: [.url("https://h/users/1/a")],
            leaves: [.url("https://h/users/1"), .url("https://h/users//a")]),
        MatchCase(.path(prefix: "/"), takes: [.url("https://h/x"), .url("https://h")], leaves: []),
        MatchCase(
            .header("accept", "a/b"), takes: [.query("").with("Accept", "a/b")],
            leaves: [.query("").with("Accept", "A/b"), .query("")]),
        MatchCase(
            .header("X-Flag"), takes: [.query("").with("x-flag", "no")], leaves: [.query("")]),
    ])
    func matchesWhereItGoes(_ row: MatchCase) { row.check() }

    @Test(arguments: [
        MatchCase(
            .query(["b": "2", "a": "1"]), takes: [.query("?a=1&c&b=2"), .query("?b=2&a=0&a=1")],
            leaves: [.query("?a=1"), .query("?a=1&b=3"), .query("")]),
        MatchCase(.query([:]), takes: [.query(""), .query("?x")], leaves: []),
        MatchCase(
            .query(["a": nil]), takes: [.query("?a"), .query("?a=&a")],
            leaves: [.query("?a="), .query("?a=nil")]),
        MatchCase(.query(["a": ""]), takes: [.query("?a=")], leaves: [.query("?a"), .query("")]),
        MatchCase(
            .query(["a": "1", "a": "1"]), takes: [.query("?a=1&b&a=1"), .query("?a=1&a=1&a=1")],
            leaves: [.query("?a=1"), .query("?a=1&a=2")]),
        MatchCase(
            .query(["q": "1+1 &=é"]),
            takes: [.query("?q=1%2B1%20%26%3D%C3%A9"), .query("?q=1+1%20%26=%C3%A9")],
            leaves: [.query("?q=1%201%20%26%3D%C3%A9")]),
        MatchCase(
            .query(exactly: ["b": nil, "a": "1", "a": "2"]),
            takes: [.query("?a=1&a=2&b"), .query("?b&a=2&a=1")],
            leaves: [.query("?a=1&a=2"), .query("?a=1&a=2&b&c"), .query("?a=1&a=2&a=2&b")]),
        MatchCase(
            .query(exactly: ["a": "1"]), takes: [.query("?a=1")], leaves: [.query("?a=1&a=1")]),
        MatchCase(.query(exactly: [:]), takes: [.query(""), .query("?")], leaves: [.query("?a")]),
    ])
    func countsQueryItems(_ row: MatchCase) { row.check() }

    @Test func takesADictionaryInAVariable() {
        let items = ["page": "2"]

        MatchCase(.query(items), takes: [.query("?page=2")], leaves: [.query("?page=3")]).check()
        MatchCase(.any.query(items), takes: [.query("?page=2")], leaves: [.query("")]).check()
    }

    private struct User: Encodable {
        var name = "Emma"
        var age = 3
    }

    @Test(arguments: [
        MatchCase(
            .body(Data("ab".utf8)), takes: [.json("ab")],
            leaves: [.json("aB"), .json(""), .query("")]),
        MatchCase(.body(Data()), takes: [.query(""), .json("")], leaves: [.json("a")]),
        MatchCase(
            .json(#"{"name": "Emma", "age": 3}"#),
            takes: [
                .json(#"{"age":3.0,"name":"\u0045mma"}"#),
                .json(#"{ "age" : 30e-1, "name":"Emma"}"#),
            ],
            leaves: [
                .json(#"{"age": 3}"#), .json(#"{"age": 3, "name": "Emma", "x": null}"#),
                .json(#"{"age": "3", "name": "Emma"}"#), .json("{"), .query(""),
            ]),
        MatchCase(
            .json(encoding: User()), takes: [.json(#"{"age":3,"name":"Emma"}"#)],
            leaves: [.json(#"{"age":4,"name":"Emma"}"#)]),
        MatchCase(
            .json("[1, [2, null], true]"), takes: [.json("[1.0,[2,null],true]")],
            leaves: [
                .json("[[2,null],1,true]"), .json("[1,[2,null],1]"), .json("[1,[2,null]]"),
                .json("[1,[2,null],true,4]"), .json("[1,[2,false],true]"),
            ]),
        MatchCase(
            .json("9007199254740993"), takes: [.json("9007199254740993.0")],
            leaves: [.json("9007199254740992"), .json("-9007199254740993")]),
        MatchCase(.json("0.1"), takes: [.json("0.10000000000000001")], leaves: [.json("0.11")]),
        MatchCase(
            .json("1e9223372036854775807"), takes: [.json("1E+9223372036854775807")],
            leaves: [.json("1"), .json("0")]),
        MatchCase(.json("0"), takes: [.json("-0"), .json("0.000")], leaves: [.json("null")]),
        MatchCase(
            .json(#"{"a": 1, "a": 2}"#), takes: [.json(#"{"a": 2}"#)], leaves: [.json(#"{"a": 1}"#)]
        ),
        MatchCase(
            .json(containing: #"{"user": {"age": 3}, "tags": ["b", {"c": 1}]}"#),
            takes: [.json(#"{"x":0,"user":{"age":3,"n":1},"tags":["a","b",{},{"d":0,"c":1}]}"#)],
            leaves: [
                .json(#"{"user":{"age":3},"tags":[{"c":1},"b"]}"#), .json(#"{"user":{"age":3}}"#),
                .json(#"{"user":{"age":4},"tags":["b",{"c":1}]}"#), .json("[]"),
            ]),
        MatchCase(
            .json(containing: "[1, 1]"), takes: [.json("[1,2,1]")], leaves: [.json("[1,2]")]),
        MatchCase(
            .form(["a": "1 +", "b": nil]),
            takes: [.form("b&c=3&a=1+%2B"), .form("a=1+%2B&b", type: nil)],
            leaves: [.form("a=1+%2B&b="), .form("a=1+%2B&b", type: "text/plain"), .form("")]),
        MatchCase(
            .form(exactly: ["a": "1"]), takes: [.form("a=1")],
            leaves: [.form("a=1&b"), .form("a=1&a=1"), .form("")]),
    ])
    func matchesBodies(_ row: MatchCase) { row.check() }

    @Test(arguments: [
        MatchCase(
            .anyOf(.get("/a"), .post("/b")),
            takes: [.test("a"), .test("b", method: "POST")], leaves: [.test("b")]),
        MatchCase(
            .path(prefix: "/v1").anyOf([.query(["a": nil]), .query(["b": nil])]),
            takes: [.url("https://h/v1?b")], leaves: [.url("https://h/v1?c"), .url("https://h/?b")]),
        MatchCase(
            .get("/users/{id}").not(.path("/users/me")), takes: [.test("users/42")],
            leaves: [.test("users/me"), .test("users")]),
        MatchCase(.not(.any), takes: [], leaves: [.test("a")]),
        MatchCase(
            .where("an empty body") { $0.body.isEmpty }, takes: [.test("a")], leaves: [.json("1")]),
        MatchCase(
            .get("/users/{id}").where("an even id") {
                Int($0.pathValues["id"]!)!.isMultiple(of: 2)
            },
            takes: [.test("users/42")], leaves: [.test("users/43")]),
    ])
    func combines(_ row: MatchCase) { row.check() }

    @Test func keepsWhatTheFirstThatHoldsCaptures() {
        let matcher = RequestMatcher.get("/{kind}/{id}")
            .anyOf(.path("/{plural}/{number}").query(["x": nil]), .path("/users/{user}"))
            .not(.path("/{never}"))

        let report = matcher.report(on: RecordedRequest(request: .test("users/42")))
        #expect(report.pathValues == ["kind": "users", "id": "42", "user": "42"])
        let other = matcher.report(on: RecordedRequest(request: .test("books/42")))
        #expect(other.pathValues == [:])
    }

    private static let created = URLRequest.url("https://h:8443/users?a=1&b", method: "POST")

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
        MatchCase(
            .request(.url("https://h/%7Bid%7D")), takes: [.url("https://h/%7Bid%7D")],
            leaves: [.url("https://h/x")]),
    ])
    func isMadeFromARequest(_ row: MatchCase) { row.check() }

    @Test func readsTheStreamOfARequest() throws {
        var value = URLRequest.test("a", method: "POST")
        value.httpBodyStream = InputStream(data: Data("[1]".utf8))

        MatchCase(
            .request(value), takes: [.test("a", method: "POST", body: "[1.0]")],
            leaves: [.test("a", method: "POST", body: "[2]"), .test("a", method: "POST")]
        ).check()
    }

    @Test(arguments: Carrier.allCases)
    func matchesOverEveryCarrier(_ carrier: Carrier) async throws {
        struct Search: APIRequest {
            let baseURL: URL

            func makeRequest(from name: String) throws -> URLRequest {
                try URLRequest(
                    "POST", baseURL, path: "/users/{name}", ["name": name],
                    query: ["flag": QueryFlag(), "q": "1+1"], headers: ["X-Kind": "b"]
                ).jsonBody(["name": name, "age": "3"])
            }

            func parseResponse(data: Data) throws -> String { data.text }
        }
        let network = MockNetwork()
        let (session, baseURL) = try carrier.open(network)
        let search = Search(baseURL: baseURL)
        let loader = APIRequestLoader(apiRequest: search, urlSession: session)
        network.stub(.any, .text("any"))
        let whole = network.stub(.request(try search.makeRequest(from: "a/b c")), .text("whole"))
        network.stub(
            .post("/users/{name}").query(["flag": nil]).header("x-kind", "b")
                .json(containing: #"{"name": "d"}"#), .text("parts"))

        #expect(try await loader.load("a/b c") == "whole")
        #expect(try await loader.load("d") == "parts")
        #expect(try await loader.load("e") == "any")
        #expect(whole.callCount == 1)
    }

    @Test(arguments: [
        (RequestMatcher.get("/users/{id"), "brace without its partner"),
        (.path(prefix: "/{"), "brace without its partner"), (.path(exactly: "/a?b"), "? or #"),
        (.host("https://h"), "not a host alone"), (.host("h:80"), "not a host alone"),
        (.json("{\n  \"a\": x}"), ".json(_:) was given text that is not JSON: byte 9"),
        (.json(containing: "[1"), ".json(containing:) was given text that is not JSON: it ends"),
        (.json(encoding: ["x": Double.nan]), "could not encode Dictionary<String, Double>"),
        (.anyOf(), "no matcher"), (.anyOf(.any, .json("")), "not JSON"),
        (.not(.json("")), "not JSON"),
    ])
    func tellsWhatItCannotBeMadeFrom(_ matcher: RequestMatcher, _ part: String) async throws {
        let network = MockNetwork()
        network.stub(matcher, .text("x"))
        let line = #line - 1

        let failure = await #expect(throws: MockFailure.self) {
            _ = try await MockURLSession(network).exchange(.test("a"))
        }
        #expect(failure?.reason == .brokenStub)
        let verification = #expect(throws: VerificationFailure.self) { try network.verify() }
        for text in [failure?.description, verification?.findings.first] {
            let text = try #require(text)
            #expect(text.contains(part))
            #expect(text.contains("RequestMatcherTests.swift:\(line)"))
        }
    }
}
