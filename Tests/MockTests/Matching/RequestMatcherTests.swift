import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct RequestMatcherTests {
    @Test func matchesMethodAndURLAndHeaders() {
        let rows: [MatchCase] = [
            MatchCase(.any, takes: [.url("https://h"), .url("x:y")], leaves: []),
            MatchCase(
                .method("PURGE"), takes: [.url("https://h", method: "PURGE")],
                leaves: [.url("https://h"), .url("https://h", method: "purge")]),
            MatchCase(
                .any.scheme("HTTPS"), takes: [.url("https://h"), .url("HTTPS://h")],
                leaves: [.url("http://h")]),
            MatchCase(
                .host("API.example.com"),
                takes: [.url("https://api.example.com/x"), .url("http://u:p@Api.Example.com:81")],
                leaves: [.url("https://example.com"), .url("https://api.example.com.evil")]),
            MatchCase(
                .host("[::1]"), takes: [.url("http://[::1]:80/")], leaves: [.url("http://[::2]")]),
            MatchCase(
                .any.port(443), takes: [.url("https://h"), .url("http://h:443")],
                leaves: [.url("http://h"), .url("https://h:8443")]),
            MatchCase(.any.port(443), takes: [.url("wss://h")], leaves: [.url("ws://h")]),
            MatchCase(.any.port(80), takes: [.url("ws://h")], leaves: [.url("wss://h")]),
            MatchCase(
                .url(URL(string: "https://h/users/a%20b?x=1&y#z")!),
                takes: [
                    .url("https://h/users/a%20b?x=1&y"), .url("HTTPS://H:443/users/a b?y&x=1"),
                    .url("https://h/users/a%20b?x=1&y", method: "POST"),
                ],
                leaves: [
                    .url("https://h/users/a%20b?x=1"), .url("https://h/users/a%20b?x=1&y&z"),
                    .url("http://h/users/a%20b?x=1&y"), .url("https://i/users/a%20b?x=1&y"),
                    .url("https://h:81/users/a%20b?x=1&y"), .url("https://h/users/?x=1&y"),
                ]),
            MatchCase(
                .url(URL(string: "/users/{id}")!), takes: [.url("https://h/users/%7Bid%7D")],
                leaves: [.url("https://h/users/1"), .url("https://h/users/%7Bid%7D?x")]),
            MatchCase(
                .path("/proxy/https://h2/{page}"), takes: [.url("https://h/proxy/https://h2/a")],
                leaves: [.url("https://h/proxy/http://h2/a"), .url("https://h2/a")]),
            MatchCase(
                .path("/users/{id}"),
                takes: [.url("https://h/users/42?x"), .url("https://h/users/a%2Fb")],
                leaves: [
                    .url("https://h/users/"), .url("https://h/users/4/2"), .url("https://h/users"),
                ]),
            MatchCase(
                .path("/hello%20world/{id}"), takes: [.url("https://h/hello%20world/7")],
                leaves: [.url("https://h/hello/7"), .url("https://h/hello+world/7")]),
            // A template written as in a URL, and one that can be read in two ways.
            MatchCase(
                .path("/x%3A{a}%20"),
                takes: [.url("https://h/x:y%20"), .url("https://h/x%3Ay%20")],
                leaves: [.url("https://h/x:y")]),
            MatchCase(
                .path("/100%25"), takes: [.url("https://h/100%25"), .url("https://h/100%2525")],
                leaves: [.url("https://h/100")]),
            MatchCase(
                .path("/a%2fb/%7Bid%7D"), takes: [.url("https://h/a%2Fb/%7Bid%7D")],
                leaves: [.url("https://h/a/b/7"), .url("https://h/a%2Fb/7")]),
            MatchCase(
                .path("/a%20b/{+rest}"), takes: [.url("https://h/a%20b/c")],
                leaves: [.url("https://h/a%20bc")]),
            MatchCase(
                .path("/files/{name}.json"),
                takes: [.url("https://h/files/a.json"), .url("https://h/files/a.json.json")],
                leaves: [.url("https://h/files/a/b.json"), .url("https://h/files/.json")]),
            MatchCase(
                .path("/files/{+path}"),
                takes: [.url("https://h/files/a"), .url("https://h/files/a/b%20c?x")],
                leaves: [.url("https://h/files/"), .url("https://h/files"), .url("https://h/a/b")]),
            MatchCase(
                .get("/"), takes: [.url("https://h"), .url("https://h/?a")],
                leaves: [.url("https://h/a")]),
            MatchCase(
                .any.path(exactly: "/{a}/b%2Fc"), takes: [.url("https://h/%7Ba%7D/b%2Fc")],
                leaves: [.url("https://h/x/b%2Fc"), .url("https://h/%7Ba%7D/b/c")]),
            MatchCase(
                .any.header("accept", "a/b"), takes: [.query("").with("Accept", "a/b")],
                leaves: [.query("").with("Accept", "A/b"), .query("")]),
            MatchCase(
                .any.header("X-Flag"), takes: [.query("").with("x-flag", "no")],
                leaves: [.query("")]),
        ]
        for row in rows {
            row.check()
        }
    }

    @Test(arguments: [
        MatchCase(
            .any.query(["b": "2", "a": "1"]),
            takes: [.query("?a=1&c&b=2"), .query("?b=2&a=0&a=1")],
            leaves: [.query("?a=1"), .query("?a=1&b=3"), .query("")]),
        MatchCase(.any.query([:]), takes: [.query(""), .query("?x")], leaves: []),
        MatchCase(
            .any.query(["a": nil, "b": 1]), takes: [.query("?b=1"), .query("?a=1&b=1")],
            leaves: [.query("?a")]),
        MatchCase(
            .any.query("a"), takes: [.query("?a"), .query("?a="), .query("?b&a=1")],
            leaves: [.query("?A=1"), .query("?ab=1"), .query("?b=a"), .query("")]),
        MatchCase(
            .any.query(["a": ""]), takes: [.query("?a="), .query("?a")],
            leaves: [.query("?a=1"), .query("?b"), .query("")]),
        MatchCase(
            .any.query(["a": "1", "a": "1"]),
            takes: [.query("?a=1&b&a=1"), .query("?a=1&a=1&a=1")],
            leaves: [.query("?a=1"), .query("?a=1&a=2")]),
        MatchCase(
            .any.query(["q": "1+1 &=é"]),
            takes: [.query("?q=1%2B1%20%26%3D%C3%A9"), .query("?q=1%2B1+%26=%C3%A9")],
            leaves: [.query("?q=1%201%20%26%3D%C3%A9"), .query("?q=1+1+%26%3D%C3%A9")]),
        // A server reads a + as a space.
        MatchCase(
            .any.query(["q": "a b"]), takes: [.query("?q=a+b"), .query("?q=a%20b")],
            leaves: [.query("?q=a%2Bb")]),
        MatchCase(.any.query("a b"), takes: [.query("?a+b=1")], leaves: [.query("?a%2Bb=1")]),
        MatchCase(
            .any.query(exactly: ["b": "", "a": "1", "a": "2", "c": nil]),
            takes: [
                .query("?a=1&a=2&b="), .query("?b=&a=2&a=1"),
                // Most servers read a name without a value like one with an empty value.
                .query("?a=1&a=2&b"),
            ],
            leaves: [
                .query("?a=1&a=2"), .query("?a=1&a=2&b=&c"), .query("?a=1&a=2&a=2&b="),
                .query("?a=1&a=2&b&b"), .query("?a=1&a=2&b&b="), .query("?a=1&a=2&B"),
                .query("?a&a=2&b"),
            ]),
        // An item may have no name, and two ampersands make no item.
        MatchCase(
            .any.query(exactly: ["": "a"]), takes: [.query("?=a"), .query("?&=a&&")],
            leaves: [.query("?a"), .query("?a="), .query("?=a&=")]),
        MatchCase(
            .any.query(["b": "", "b": ""]), takes: [.query("?b&b="), .query("?b&b&c")],
            leaves: [.query("?b"), .query("?b=1&b=")]),
        MatchCase(
            .any.query(exactly: ["a": "1"]), takes: [.query("?a=1")], leaves: [.query("?a=1&a=1")]),
        MatchCase(
            .any.query(exactly: [:]), takes: [.query(""), .query("?")], leaves: [.query("?a")]),
        MatchCase(
            .any.query(["page": 2, "all": true]),
            takes: [.query("?flag&page=2&all=true")], leaves: [.query("?page=2&all=1")]),
        MatchCase(
            .any.query(["ids": [1, 2, 1]]), takes: [.query("?ids=1&ids=1&ids=2")],
            leaves: [.query("?ids=1&ids=2")]),
    ])
    func countsQueryItems(_ row: MatchCase) { row.check() }

    @Test(arguments: [
        MatchCase(
            .anyOf(.get("/a"), .post("/b")),
            takes: [.test("a"), .test("b", method: "POST")], leaves: [.test("b")]),
        MatchCase(
            .anyOf(.any.query("a"), .any.query("b")).path("/v1"),
            takes: [.url("https://h/v1?b")], leaves: [.url("https://h/v1?c"), .url("https://h/?b")]),
        MatchCase(
            .get("/users/{id}").not(.path("/users/me")), takes: [.test("users/42")],
            leaves: [.test("users/me"), .test("users")]),
        MatchCase(.any.not(.any), takes: [], leaves: [.test("a")]),
        MatchCase(
            .any.where("an empty body") { $0.body.isEmpty }, takes: [.test("a")],
            leaves: [.json("1")]),
        MatchCase(
            .get("/users/{id}").where("an even id") {
                Int($0.pathValues["id"]!)!.isMultiple(of: 2)
            },
            takes: [.test("users/42")], leaves: [.test("users/43")]),
    ])
    func combinesMatchers(_ row: MatchCase) { row.check() }

    // It may rely on them, and an explanation evaluates every other criterion.
    @Test func asksAPredicateOnlyIfTheCriteriaBeforeItHold() async throws {
        let isEven = RequestMatcher.any.where("an even id") {
            Int($0.pathValues["id"]!)!.isMultiple(of: 2)
        }
        for matcher in [
            RequestMatcher.get("/users/{id}").where("an even id") {
                Int($0.pathValues["id"]!)!.isMultiple(of: 2)
            }, .get("/users/{id}").not(isEven),
            .get("/users/{id}").not(.anyOf(isEven, .any.query("q"))),
        ] {
            let network = MockNetwork()
            network.stub(matcher, .status(204))

            let error = await #expect(throws: MockError.self) {
                try await network.exchange(.test("orders"))
            }

            #expect(error?.description.contains("but it was not checked, because") == true)
            let report = matcher.report(on: RecordedRequest(request: .test("orders")))
            #expect(report.lines.map(\.holds) == [true, false, false])
            // Two criteria hold, and one does not.
            let even = matcher.report(on: RecordedRequest(request: .test("users/7")))
            #expect(even.lines.map(\.holds).prefix(2) == [true, true])
        }
    }

    @Test func asksNoPredicateIfACriterionIsUnusable() async throws {
        let network = MockNetwork()
        let matcher = RequestMatcher.get("/users/{id").where("an even id") {
            Int($0.pathValues["id"]!)!.isMultiple(of: 2)
        }
        network.stub(matcher, .status(204))

        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.test("users/42"))
        }

        #expect(error?.description.contains("brace without its partner") == true)
        // A report does not call it either.
        let report = matcher.report(on: RecordedRequest(request: .test("users/42")))
        #expect(report.lines.map(\.holds) == [true, false, false])
    }

    /// A predicate relies only on earlier criteria. Otherwise the stub would take every request.
    @Test(arguments: [
        RequestMatcher.any.where("is /users") { $0.path == "/users" }.json("{oops"),
        .anyOf(.any.where("is /users") { $0.path == "/users" }, .path("/books")).json("{oops"),
        .any.not(.any.where("is not /users") { $0.path != "/users" }).json("{oops"),
    ])
    func asksThePredicatesBeforeAnUnusableCriterion(_ matcher: RequestMatcher) async throws {
        let network = MockNetwork()
        network.stub(.get("/orders"), .status(204))
        network.stub(matcher, .status(500))
        let session = network

        let (_, response) = try await session.exchange(.test("orders"))
        let error = await #expect(throws: MockError.self) {
            try await session.exchange(.test("users"))
        }

        #expect(response.statusCode == 204)
        #expect(error?.description.contains("not JSON") == true)
    }

    @Test func keepsThePathValuesOfTheFirstMatch() {
        let matcher =
            RequestMatcher
            .anyOf(.path("/{plural}/{number}").query("x"), .path("/users/{user}"))
            .path("/{kind}/{id}").not(.path("/{never}"))

        func values(_ path: String) -> [String: String]? {
            matcher.match(RequestReading(RecordedRequest(request: .test(path))))
        }
        #expect(values("users/42") == ["kind": "users", "id": "42", "user": "42"])
        #expect(values("books/42") == nil)
        // Of two values with one name, the later one is kept.
        let repeated = RequestMatcher.path("/{id}/{page}").path("/{kind}/{id}")
        let reading = RequestReading(RecordedRequest(request: .test("users/42")))
        #expect(repeated.match(reading) == ["kind": "users", "id": "42", "page": "42"])
    }

    /// Only in a recorded request, a mark matches any text. A client that must send `REDACTED` can
    /// be tested.
    @Test func aMarkInATestIsText() {
        var header = URLRequest.url("https://h/a")
        header.setValue("REDACTED", forHTTPHeaderField: "X-Log")
        var otherHeader = header
        otherHeader.setValue("x", forHTTPHeaderField: "X-Log")
        let text = #"{"log":"REDACTED-1"}"#
        let rows: [MatchCase] = [
            MatchCase(.any.header("X-Log", "REDACTED"), takes: [header], leaves: [otherHeader]),
            MatchCase(
                .any.path(exactly: "/REDACTED"), takes: [.url("https://h/REDACTED")],
                leaves: [.url("https://h/x")]),
            MatchCase(.any.json(text), takes: [.json(text)], leaves: [.json(#"{"log":"x"}"#)]),
            MatchCase(
                .any.query(["q": "REDACTED"]), takes: [.query("?q=REDACTED")],
                leaves: [.query("?q=x")]),
            MatchCase(
                .any.form(exactly: ["q": "REDACTED"]), takes: [.form("q=REDACTED")],
                leaves: [.form("q=x")]),
            MatchCase(
                .any.body(Data("REDACTED".utf8)),
                takes: [.test("a", method: "POST", body: "REDACTED")],
                leaves: [.test("a", method: "POST", body: "x")]),
        ]
        for row in rows { row.check() }
    }

    @Test func anInvalidCriterionReportsItsReason() async throws {
        let rows: [(RequestMatcher, String)] = [
            (RequestMatcher.get("/users/{id"), "brace without its partner"),
            // Only the first error is reported.
            (.get("/users/{id").json("{"), "brace without its partner"),
            (.get("https://api.example.com/users"), "takes a path such as /users"),
            (.any.path(exactly: "/a?b"), "? or #"),
            (.host(""), "not a host alone"), (.host("https://h"), "not a host alone"),
            (.host("h:80"), "not a host alone"),
            (
                .any.json("{\n  \"a\": x}"),
                ".json(_:) was given text that is not JSON: "
            ),
            (
                .any.json(containing: "[1"),
                ".json(containing:) was given text that is not JSON: "
            ),
            (.any.json(encoding: ["x": Double.nan]), "could not encode Dictionary<String, Double>"),
            (.any.json("{"), "To require such a body, use .body(_:)."),
            (.any.json(containing: ""), "To require such a body, use .body(_:)."),
            (.anyOf(), "no matcher"), (.anyOf(.any, .any.json("")), "not JSON"),
            (.any.not(.any.json("")), "not JSON"),
            (.any.query(exactly: ["a": Double.nan]), "is nan"),
            (.any.form(["a": Double.nan]), "is nan"),
            (.get("/{a}-{b}-{c}-{d}.x"), "has two names in the segment {a}-{b}-{c}-{d}.x."),
            (.get("/{+a}/{+b}/x"), "has {+a} before another segment."),
            (.path("/{a}{b}/"), "has two names in the segment {a}{b}."),
        ]
        for (matcher, part) in rows {
            let network = MockNetwork()
            network.stub(matcher, .text("x"))
            let line = #line - 1

            let failure = await #expect(throws: MockError.self, "\(matcher)") {
                _ = try await network.exchange(.test("a"))
            }
            let verification = #expect(throws: VerificationError.self, "\(matcher)") {
                try network.verify()
            }
            for text in [failure?.description, verification?.findings.first] {
                let text = try #require(text, "\(matcher)")
                #expect(text.contains(part), "\(matcher)")
                #expect(text.contains("RequestMatcherTests.swift:\(line)"), "\(matcher)")
            }
        }
    }
}
