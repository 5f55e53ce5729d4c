import APIKitLite
import APIKitLiteTesting
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What it takes to describe large bodies, and requests with very many parts, as a table.
func timesOfTexts(rounds: Int) async throws {
    print("| text | MB in | ms | bytes out |\n|---|---:|---:|---:|")
    let bodies = largeJSON()
    let form = "application/x-www-form-urlencoded"
    for (name, body) in bodies {
        try await time("refused, \(name)", body.count, rounds) {
            refused(body, "application/json")
        }
    }
    for (name, body) in largeText() {
        try await time("refused form, \(name)", body.count, rounds) { refused(body, form) }
    }
    for (name, body) in bodies {
        try await time("not decoded, \(name)", body.count, rounds) { notDecoded(body) }
    }
    for (name, body) in bodies + largeText() {
        let text = String(decoding: body, as: UTF8.self)
        try await time("text of an error, \(name)", body.count, rounds) {
            APIRequestError(stage: .makeRequest, underlying: Refusal(description: text)).description
        }
    }
    try await timesOfMatching(rounds)
}

private func timesOfMatching(_ rounds: Int) async throws {
    let items = (0..<100_000).map { "name\($0)=value\($0)" }.joined(separator: "&")
    let search = request("search?" + items)
    let form = request(
        "form", body: items, contentType: "application/x-www-form-urlencoded")
    let ids = (0..<4_000).map { #"{"id":\#($0)}"# }
    let numbers = request("numbers", body: "[\(ids.reversed().joined(separator: ","))]")
    let cases: [(String, RequestMatcher, URLRequest)] = [
        ("unmatched, 100,000 query items", .get("/users"), search),
        ("unmatched, 100,000 form fields", .get("/users"), form),
        (".request(_:), 100,000 query items, met", .request(search), search),
        (".request(_:), 100,000 query items, not met", .request(search), request("search")),
        (".request(_:), 100,000 form fields, met", .request(form), form),
        (".request(_:), 100,000 form fields, not met", .request(form), request("form")),
        (
            ".json(containing:), 4,000 elements in another order",
            .any.json(containing: "[\(ids.joined(separator: ","))]"), numbers
        ),
    ]
    for (name, matcher, request) in cases {
        try await time(name, items.utf8.count, rounds) {
            let network = MockNetwork()
            network.stub(matcher, .status(200))
            do {
                return try await "\(network.urlSession.exchange(request).1.statusCode)"
            } catch {
                return "\(error)"
            }
        }
    }
    try await time("making .request(_:), 100,000 query items", items.utf8.count, rounds) {
        RequestMatcher.request(search).description
    }
}

private struct Refusal: Error, CustomStringConvertible {
    let description: String
}

private func time(
    _ name: String, _ size: Int, _ rounds: Int, _ text: () async throws -> String
) async throws {
    let clock = ContinuousClock()
    var times: [Double] = []
    var length = 0
    for _ in 0..<rounds {
        let start = clock.now
        length = try await text().utf8.count
        times.append(start.duration(to: clock.now) / .milliseconds(1))
    }
    let megabytes = (Double(size) / 1e6).rounded(to: 10)
    print("| \(name) | \(megabytes) | \(times.median.rounded(to: 10)) | \(length) |")
}

private let url = URL(string: "https://api.example.com/")!

private func request(_ path: String, body: String? = nil, contentType: String? = nil) -> URLRequest
{
    var request = URLRequest(url: URL(string: url.absoluteString + path)!)
    if let body {
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
    }
    return request
}

private func refused(_ body: Data, _ type: String) -> String {
    let response = HTTPURLResponse(
        url: url, statusCode: 500, httpVersion: nil, headerFields: ["Content-Type": type])
    return APIRequestError(
        stage: .validate, request: URLRequest(url: url), response: response, data: body,
        underlying: UnacceptableStatus(statusCode: 500)
    ).description
}

/// An error at the last element of an array.
private func notDecoded(_ body: Data) -> String {
    struct Key: CodingKey {
        var stringValue: String { "Index \(intValue ?? 0)" }
        var intValue: Int?
        init?(stringValue: String) { nil }
        init(intValue: Int) { self.intValue = intValue }
    }
    let error = DecodingError.typeMismatch(
        Bool.self, .init(codingPath: [Key(intValue: 1)], debugDescription: "not a Bool"))
    let response = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil,
        headerFields: ["Content-Type": "application/json"])
    return APIRequestError(stage: .parse, response: response, data: body, underlying: error)
        .description
}

/// About 10 MB each: arrays of a large element and a small one.
private func largeJSON() -> [(String, Data)] {
    func quoted(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
            of: "\"", with: "\\\"")
    }
    func repeated(_ text: String) -> String {
        String(repeating: text, count: 10_000_000 / text.utf8.count)
    }
    var inner = #"{"a":["\#(String(repeating: "x/y?z=1&", count: 100_000))"]}"#
    for _ in 0..<3 { inner = #"{"a":"\#(quoted(inner))"}"# }
    let deep = String(repeating: #"[{"a":"#, count: 250) + "1" + String(repeating: "}]", count: 250)
    return [
        ("JSON with ampersands", #"["\#(repeated("a&"))",1]"#),
        ("JSON with slashes", #"["\#(repeated("a/"))",1]"#),
        ("JSON with slashes and a query", #"["\#(repeated("a/"))?\#(repeated("a&"))",1]"#),
        ("JSON with semicolons", #"["?\#(repeated("a;"))",1]"#),
        ("JSON with escapes", #"["?\#(repeated("%2541"))",1]"#),
        ("JSON in JSON in JSON", #"["\#(quoted(inner + repeated(" ")))",1]"#),
        ("JSON, deep", "[[\(repeated(deep + ","))1],1]"),
        ("JSON, short numbers", "[[\(repeated("1,"))1],1]"),
        ("JSON, small objects", #"[[\#(repeated(#"{"id":42,"name":"Emma"},"#))1],1]"#),
    ].map { ($0, Data($1.utf8)) }
}

private func largeText() -> [(String, Data)] {
    ["a&", "a=b;", "a/", "https://", "%2541", "token=", "a=\"", "{", "//a@", "é "].map {
        let count = 10_000_000 / $0.utf8.count
        return ($0.debugDescription, Data(String(repeating: $0, count: count).utf8))
    }
}
