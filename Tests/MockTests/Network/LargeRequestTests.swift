import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Requests with very many parts: the texts about them are short, and still right.
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

        #expect(matcher.report(on: record(Self.items)).isMatch)
        #expect(!matcher.report(on: record(Self.items + "&name7=1")).isMatch)
        #expect(!matcher.report(on: record(String(Self.items.dropLast(1)) + "2")).isMatch)
        #expect(!matcher.report(on: record(Self.items + "&other=1")).isMatch)
        let fields = RequestMatcher.request(.form(Self.items))
        #expect(fields.report(on: RecordedRequest(request: .form(Self.items))).isMatch)
        #expect(!fields.report(on: RecordedRequest(request: .form(Self.items + "&x"))).isMatch)
    }

    @Test func reportsTheFirstCriteriaAndThoseThatDoNotHold() {
        let matcher = RequestMatcher.request(search(Self.items))
        let changed = Self.items.replacingOccurrences(of: "name250=1", with: "name250=2")
        let report = matcher.report(on: record(changed))

        // Method, scheme, host, port and path, 300 items, no other item, no body.
        #expect(report.lines.count == 307)
        let lines = report.description.split(separator: "\n")
        #expect(lines.count == 28)
        #expect(lines.contains("  ✗ query name250=1, but the request has name250=2"))
        #expect(lines.contains("  ✗ no other query items, but the request has name250=2"))
        #expect(lines.last == "  and 280 more, of which 0 do not hold")
        #expect(matcher.description.hasSuffix(" and 257 more"))
    }

    @Test func offersAStubWithTheFirstItemsThatMatches() async throws {
        let network = MockNetwork()
        let request = search(Self.items)

        let error = await #expect(throws: MockError.self) {
            try await network.urlSession.exchange(request)
        }

        let text = error?.description ?? ""
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
}
