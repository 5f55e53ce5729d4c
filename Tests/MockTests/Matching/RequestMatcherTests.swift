import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct RequestMatcherTests {
    @Test func matchesMethodAndURLAndHeaders() {
        expect(.any, takes: ["https://h", "x:y"])
        expect(
            .method("PURGE"), takes: [.url("https://h", method: "PURGE")],
            leaves: [.url("https://h"), .url("https://h", method: "purge")])
        expect(
            .url(URL(string: "HTTPS://h:1")!), takes: ["https://h:1", "HTTPS://h:1"],
            leaves: ["http://h:1"])
        expect(
            .host("API.example.com"),
            takes: ["https://api.example.com/x", "http://u:p@Api.Example.com:81"],
            leaves: ["https://example.com", "https://api.example.com.evil"])
        expect(.host("[::1]"), takes: ["http://[::1]:80/"], leaves: ["http://[::2]"])
        expect(
            .any.port(443), takes: ["https://h", "http://h:443", "wss://h"],
            leaves: ["http://h", "https://h:8443", "ws://h"])
        expect(.any.port(80), takes: ["ws://h"], leaves: ["wss://h"])
        let url = "/users/a%20b?x=1&y"
        let matcher = RequestMatcher.url(URL(string: "https://h\(url)#z")!)
        expect(matcher, takes: [.url(url, method: "POST")])
        expect(
            matcher, takes: [url, "HTTPS://H:443/users/a b?y&x=1"],
            leaves: [
                "/users/a%20b?x=1", "/users/a%20b?x=1&y&z", "http://h\(url)", "https://i\(url)",
                "https://h:81\(url)", "/users/?x=1&y",
            ])
        expect(
            .url(URL(string: "/users/{id}")!), takes: ["/users/%7Bid%7D"],
            leaves: ["/users/1", "/users/%7Bid%7D?x"])
        expect(
            .path("/proxy/https://h2/{page}"), takes: ["/proxy/https://h2/a"],
            leaves: ["/proxy/http://h2/a", "https://h2/a"])
        expect(
            .path("/users/{id}"), takes: ["/users/42?x", "/users/a%2Fb"],
            leaves: ["/users/", "/users/4/2", "/users"])
        expect(
            .path("/hello%20world/{id}"), takes: ["/hello%20world/7"],
            leaves: ["/hello/7", "/hello+world/7"])
        // A template written as in a URL, and one that can be read in two ways.
        expect(.path("/x%3A{a}%20"), takes: ["/x:y%20", "/x%3Ay%20"], leaves: ["/x:y"])
        expect(.path("/100%25"), takes: ["/100%25", "/100%2525"], leaves: ["/100"])
        expect(
            .path("/a%2fb/%7Bid%7D"), takes: ["/a%2Fb/%7Bid%7D"], leaves: ["/a/b/7", "/a%2Fb/7"])
        expect(.path("/a%20b/{+rest}"), takes: ["/a%20b/c"], leaves: ["/a%20bc"])
        expect(.get("/"), takes: ["https://h", "/?a"], leaves: ["/a"])
        expect(
            .any.path(exactly: "/{a}/b%2Fc"), takes: ["/%7Ba%7D/b%2Fc"],
            leaves: ["/x/b%2Fc", "/%7Ba%7D/b/c"])
        expect(
            .any.header("accept", "a/b"), takes: [.url("").with("Accept", "a/b")],
            leaves: [.url("").with("Accept", "A/b"), .url("")])
        expect(.any.header("X-Flag"), takes: [.url("").with("x-flag", "no")], leaves: [.url("")])
    }

    @Test func countsQueryItems() {
        expect(
            .any.query(["b": "2", "a": "1"]), takes: ["?a=1&c&b=2", "?b=2&a=0&a=1"],
            leaves: ["?a=1", "?a=1&b=3", ""])
        expect(.any.query([:]), takes: ["", "?x"])
        expect(.any.query(["a": nil, "b": 1]), takes: ["?b=1", "?a=1&b=1"], leaves: ["?a"])
        expect(
            .any.query("a"), takes: ["?a", "?a=", "?b&a=1"], leaves: ["?A=1", "?ab=1", "?b=a", ""])
        expect(.any.query(["a": ""]), takes: ["?a=", "?a"], leaves: ["?a=1", "?b", ""])
        expect(
            .any.query(["a": "1", "a": "1"]), takes: ["?a=1&b&a=1", "?a=1&a=1&a=1"],
            leaves: ["?a=1", "?a=1&a=2"])
        expect(
            .any.query(["q": "1+1 &=é"]),
            takes: ["?q=1%2B1%20%26%3D%C3%A9", "?q=1%2B1+%26=%C3%A9"],
            leaves: ["?q=1%201%20%26%3D%C3%A9", "?q=1+1+%26%3D%C3%A9"])
        // A server reads a + as a space.
        expect(.any.query(["q": "a b"]), takes: ["?q=a+b", "?q=a%20b"], leaves: ["?q=a%2Bb"])
        expect(.any.query("a b"), takes: ["?a+b=1"], leaves: ["?a%2Bb=1"])
        // Most servers read a name without a value like one with an empty value.
        expect(
            .any.query(exactly: ["b": "", "a": "1", "a": "2", "c": nil]),
            takes: ["?a=1&a=2&b=", "?b=&a=2&a=1", "?a=1&a=2&b"],
            leaves: [
                "?a=1&a=2", "?a=1&a=2&b=&c", "?a=1&a=2&a=2&b=", "?a=1&a=2&b&b", "?a=1&a=2&b&b=",
                "?a=1&a=2&B", "?a&a=2&b",
            ])
        // An item may have no name, and two ampersands make no item.
        expect(
            .any.query(exactly: ["": "a"]), takes: ["?=a", "?&=a&&"],
            leaves: ["?a", "?a=", "?=a&="])
        expect(
            .any.query(["b": "", "b": ""]), takes: ["?b&b=", "?b&b&c"], leaves: ["?b", "?b=1&b="])
        expect(.any.query(exactly: ["a": "1"]), takes: ["?a=1"], leaves: ["?a=1&a=1"])
        expect(.any.query(exactly: [:]), takes: ["", "?"], leaves: ["?a"])
        expect(
            .any.query(["page": 2, "all": true]), takes: ["?flag&page=2&all=true"],
            leaves: ["?page=2&all=1"])
        expect(
            .any.query(["ids": [1, 2, 1]]), takes: ["?ids=1&ids=1&ids=2"], leaves: ["?ids=1&ids=2"])
    }

    @Test func combinesMatchers() {
        expect(
            .anyOf(.get("/a"), .post("/b")), takes: [.test("a"), .test("b", method: "POST")],
            leaves: [.test("b")])
        expect(
            .anyOf(.any.query("a"), .any.query("b")).path("/v1"), takes: ["/v1?b"],
            leaves: ["/v1?c", "/?b"])
        expect(
            .get("/users/{id}").not(.path("/users/me")), takes: [.test("users/42")],
            leaves: [.test("users/me"), .test("users")])
        expect(.any.not(.any), leaves: [.test("a")])
        expect(
            .any.where("an empty body") { $0.body.isEmpty }, takes: [.test("a")],
            leaves: [.json("1")])
        expect(
            .get("/users/{id}").withEvenID, takes: [.test("users/42")], leaves: [.test("users/43")])
    }

    // It may rely on them, and an explanation evaluates every other criterion.
    @Test func asksAPredicateOnlyIfTheCriteriaBeforeItHold() async throws {
        let isEven = RequestMatcher.any.withEvenID
        for matcher in [
            RequestMatcher.get("/users/{id}").withEvenID, .get("/users/{id}").not(isEven),
            .get("/users/{id}").not(.anyOf(isEven, .any.query("q"))),
        ] {
            let network = MockNetwork()
            network.stub(matcher, .status(204))

            let error = await #expect(throws: MockError.self) {
                try await network.exchange(.test("orders"))
            }

            #expect(error?.description.contains("but it was not checked, because") == true)
            let report = matcher.report(on: .test("orders"))
            #expect(report.lines.map(\.holds) == [true, false, false])
            // Two criteria hold, and one does not.
            let even = matcher.report(on: .test("users/7"))
            #expect(even.lines.map(\.holds).prefix(2) == [true, true])
        }
    }

    @Test func asksNoPredicateIfACriterionIsUnusable() async throws {
        let network = MockNetwork()
        let matcher = RequestMatcher.get("/users/{id").withEvenID
        network.stub(matcher, .status(204))

        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.test("users/42"))
        }

        #expect(error?.description.contains("brace without its partner") == true)
        // A report does not call it either.
        let report = matcher.report(on: .test("users/42"))
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

        let (_, response) = try await network.exchange(.test("orders"))
        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.test("users"))
        }

        #expect(response.statusCode == 204)
        #expect(error?.description.contains("not JSON") == true)
    }

    @Test func keepsThePathValuesOfTheFirstMatch() {
        func values(_ matcher: RequestMatcher, _ path: String) -> [String: String]? {
            matcher.match(RequestReading(RecordedRequest(request: .test(path))))
        }
        let matcher =
            RequestMatcher
            .anyOf(.path("/{plural}/{number}").query("x"), .path("/users/{user}"))
            .path("/{kind}/{id}").not(.path("/{never}"))
        #expect(values(matcher, "users/42") == ["kind": "users", "id": "42", "user": "42"])
        #expect(values(matcher, "books/42") == nil)
        // Of two values with one name, the later one is kept.
        let repeated = RequestMatcher.path("/{id}/{page}").path("/{kind}/{id}")
        #expect(values(repeated, "users/42") == ["kind": "users", "id": "42", "page": "42"])
    }

    /// Only in a recorded request, a mark matches any text. A client that must send `REDACTED` can
    /// be tested.
    @Test func aMarkInATestIsText() {
        expect(
            .any.header("X-Log", "REDACTED"), takes: [.url("").with("X-Log", "REDACTED")],
            leaves: [.url("").with("X-Log", "x")])
        expect(.any.path(exactly: "/REDACTED"), takes: ["/REDACTED"], leaves: ["/x"])
        let text = #"{"log":"REDACTED-1"}"#
        expect(.any.json(text), takes: [text], leaves: [#"{"log":"x"}"#], as: URLRequest.json)
        expect(.any.query(["q": "REDACTED"]), takes: ["?q=REDACTED"], leaves: ["?q=x"])
        expect(
            .any.form(exactly: ["q": "REDACTED"]), takes: [.form("q=REDACTED")],
            leaves: [.form("q=x")])
        expect(
            .any.body(Data("REDACTED".utf8)),
            takes: [.test("a", method: "POST", body: "REDACTED")],
            leaves: [.test("a", method: "POST", body: "x")])
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
            (.any.json("{\n  \"a\": x}"), ".json(_:) was given text that is not JSON: "),
            (.any.json(containing: "[1"), ".json(containing:) was given text that is not JSON: "),
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
                try await network.exchange(.test("a"))
            }
            for text in [failure?.description, network.findings.first] {
                let text = try #require(text, "\(matcher)")
                #expect(text.contains(part), "\(matcher)")
                #expect(text.contains("RequestMatcherTests.swift:\(line)"), "\(matcher)")
            }
        }
    }
}

extension RequestMatcher {
    fileprivate var withEvenID: RequestMatcher {
        self.where("an even id") { Int($0.pathValues["id"]!)!.isMultiple(of: 2) }
    }
}
