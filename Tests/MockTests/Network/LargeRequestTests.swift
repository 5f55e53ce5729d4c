import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct LargeRequestTests {
    private static let names = (0..<300).map { "name\($0)" }
    private static let items = names.map { "\($0)=1" }.joined(separator: "&")

    private func record(_ items: String) -> RecordedRequest {
        RecordedRequest(request: search(items))
    }

    private func search(_ items: String) -> URLRequest {
        URLRequest(url: URL(string: "https://api.example.com/search?\(items)")!)
    }

    @Test func matchesEachOfManyItems() {
        let matcher = RequestMatcher.request(search(Self.items))

        for (items, isMatch) in [
            (Self.items, true), (Self.items + "&name7=1", false),
            (Self.items.dropLast(1) + "2", false), (Self.items + "&other=1", false),
        ] { #expect(matcher.report(on: record(items)).isMatch == isMatch) }
        let fields = RequestMatcher.request(.form(Self.items))
        #expect(fields.report(on: RecordedRequest(request: .form(Self.items))).isMatch)
        #expect(!fields.report(on: RecordedRequest(request: .form(Self.items + "&x"))).isMatch)

        // Method, scheme, host, port and path, 300 items, no other item, no body.
        let changed = Self.items.replacingOccurrences(of: "name250=1", with: "name250=2")
        let lines = matcher.report(on: record(changed)).lines
        #expect(lines.count == 307)
        #expect(
            lines.filter { !$0.holds }.map(\.text) == [
                "  ✗ query name250=1, but the request has name250=2",
                "  ✗ no other query items, but the request has name250=2",
            ])
    }

    @Test func offersAStubWithTheFirstItemsThatMatches() async throws {
        let text = try await MockNetwork().urlSession.mockError(search(Self.items))

        #expect(text.contains(#".query(["name0": "1", "#) && text.contains(#""name19": "1"])"#))
        #expect(text.hasSuffix(#""name19": "1"]), .json("{}"))"#))
        #expect(text.utf8.count < 4_000)
        let literal = try #require(text.firstMatch(of: #/\.query\(\[(.*)\]\)/#)?.output.1)
        #expect(literal.split(separator: ",").count == 20)
    }

    @Test func isDumpedWithoutItsBodyAndHeaders() {
        var request = URLRequest.form("password=hunter2")
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
        var text = ""
        dump([RecordedRequest(request: request)], to: &text)

        #expect(text.contains("POST https://api.example.com/a, 16 bytes"))
        #expect(!text.contains("hunter2") && !text.contains(/\b104\b/))
    }

    #if os(Linux)
    /// Of 200 MB, the texts about a request without a response read the beginning.
    @Test(arguments: [
        (
            "[", #"{"id":42,"token":"hunter2"},"#, "application/json",
            #"[{"id":42,"token":"hunter2"}"#
        ),
        ("Hello. ", "Nothing to see.\n\n", "text/plain", "Hello. Nothing to see. Nothing"),
        ("", "a=b&", "application/x-www-form-urlencoded", "a=b&a=b"),
        ("--b\r\n", "Content: x\r\n", "multipart/form-data; boundary=b", "<multipart/form-data, 2"),
    ])
    func describesTheBeginningOfALargeBody(
        _ start: String, _ unit: String, _ type: String, _ shown: String
    ) async throws {
        let body = VastBody(start, repeating: unit)
        var request = URLRequest(url: URL(string: "https://api.example.com/upload")!)
        request.httpMethod = "POST"
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = body.data
        let network = MockNetwork()
        let post = RequestMatcher.post("/users")
        for matcher in [post.json("[1]"), post.form(["a": 1]), post.part("a", text: "b"), post] {
            network.stub(matcher, .status(200))
        }

        let text = try await network.mockError(request)
        #expect(text.contains("with the body \(shown)"), "\(text)")
        let verification = try #require(throws: VerificationError.self) { try network.verify() }
        #expect("\(verification)".contains(text))
        #expect(network.requests.description.utf8.count < 200)
        #expect(text.utf8.count < 2_000)
        #expect(body.bytesRead < 4_000_000, "\(body.bytesRead)")
    }
    #endif

    /// A criterion of the body of a large request is checked only if the others hold.
    @Test func checksTheBodyOfALargeRequestLast() {
        let post = RequestMatcher.post("/users")
        let body = Data(("[" + String(repeating: "2,", count: 60_000) + "2]").utf8)
        let unchecked = "it was not checked, because another"
        for (matcher, path, text) in [
            (post.json("[1]"), "users", "$[0]: expected 1, got 2"),
            (post.json("[1]"), "user", unchecked),
            (post.not(.any.json(containing: "[2]")), "user", unchecked),
            (post.not(.anyOf(.any.json("[1]"), .any.json(containing: "[2]"))), "user", unchecked),
        ] {
            var request = URLRequest(url: URL(string: "https://api.example.com/\(path)")!)
            request.httpMethod = "POST"
            request.httpBody = body
            let report = matcher.report(on: RecordedRequest(request: request))
            #expect(!report.isMatch && report.description.contains(text), "\(report)")
        }
    }
}
