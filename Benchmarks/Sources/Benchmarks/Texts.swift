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
        try await measure("refused, \(name)", body.count, rounds) {
            refused(body, "application/json")
        }
    }
    for (name, body) in largeText() {
        try await measure("refused form, \(name)", body.count, rounds) { refused(body, form) }
    }
    for (name, body) in bodies {
        try await measure("not decoded, \(name)", body.count, rounds) { notDecoded(body) }
    }
    for (name, body) in bodies + largeText() {
        let text = String(decoding: body, as: UTF8.self)
        try await measure("text of an error, \(name)", body.count, rounds) {
            APIRequestError(stage: .makeRequest, underlying: Refusal(description: text)).description
        }
    }
    try await timesOfMatching(rounds)
    for megabytes in [0, 8, 200] {
        for (name, unit, type) in kinds {
            try await timesOfTexts(name, unit, type, megabytes, rounds)
        }
    }
}

/// Parts that bodies of several kinds repeat, and their content types.
private let kinds = [
    ("JSON", #"{"id":42,"name":"Emma","to":"https://h/?a=b"},"#, "application/json"),
    ("JSON in lines", "{\n    \"id\": 42,\n    \"name\": \"Emma\"\n  },\n  ", "application/json"),
    ("JSON of tokens", #"{"id":42,"token":"hunter2-abcdefgh"},"#, "application/json"),
    ("one JSON string", "a/b?c=d&e ", "application/json"),
    ("form", "name=Emma&to=https%3A%2F%2Fh%2F%3Fa%3Db&", "application/x-www-form-urlencoded"),
    ("text", "Nothing to see here, hunter2. ", "text/plain"),
    ("HTML", "<p class=\"a\">Nothing</p>\n", "text/html"),
    ("JSON lines", "{\"id\":42,\"name\":\"Emma\"}\n", "application/x-ndjson"),
    ("event stream", "data: {\"id\":42}\n\n", "text/event-stream"),
    ("binary", "\u{0}\u{1}\u{ff}", "application/octet-stream"),
]

/// All texts about one body: about 90 KB, 8 MB or 200 MB.
private func timesOfTexts(
    _ name: String, _ unit: String, _ type: String, _ megabytes: Int, _ rounds: Int
) async throws {
    let count = max(90_000, megabytes * 1_000_000) / unit.utf8.count
    let middle = String(repeating: unit, count: count)
    let (start, end) =
        switch name {
        case "one JSON string": ("[\"", "\",1]")
        case let name where name.hasPrefix("JSON") && name != "JSON lines": ("[", "1]")
        default: ("", "")
        }
    let body = Data((start + middle + end).utf8)
    func time(_ text: String, _ work: () async throws -> String) async throws {
        try await measure("\(text), \(name)", body.count, rounds, work)
    }
    try await time("refused") { refused(body, type) }
    try await time("for a user") { error(body, type).localizedDescription }
    try await time("not decoded") { notDecoded(body, at: count / 2) }
    let invalid = body + Data("!".utf8)
    try await time("not JSON") { notDecoded(invalid, at: nil) }
    var sent = request("form", body: "", contentType: type)
    sent.httpBody = body
    try await time("curl") { sent.curlCommand() }
    for event in await events(of: sent, respondingWith: body, type) {
        try await time("event") { event.description }
    }
    try await time("message of an error") {
        APIRequestError(
            stage: .makeRequest,
            underlying: Refusal(
                description: String(decoding: body.prefix(8_000_000), as: UTF8.self))
        ).description
    }
    let network = MockNetwork()
    let matcher = RequestMatcher.post("/users")
    for stub in [matcher.json("[1]"), matcher.form(["a": 1]), matcher.part("a", text: "b")] {
        network.stub(stub, .status(200))
    }
    try await time("unmatched") {
        do { return try await "\(network.urlSession.exchange(sent).1.statusCode)" } catch {
            return "\(error)"
        }
    }
    try await time("verify") {
        do { try network.verify() } catch { return "\(error)" }
        return ""
    }
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
        try await measure(name, items.utf8.count, rounds) {
            let network = MockNetwork()
            network.stub(matcher, .status(200))
            do {
                return try await "\(network.urlSession.exchange(request).1.statusCode)"
            } catch {
                return "\(error)"
            }
        }
    }
    try await measure("making .request(_:), 100,000 query items", items.utf8.count, rounds) {
        RequestMatcher.request(search).description
    }
}

private struct Refusal: Error, CustomStringConvertible {
    let description: String
}

private func measure(
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

private func error(
    _ body: Data, _ type: String, _ underlying: any Error = UnacceptableStatusError(statusCode: 500)
) -> APIRequestError {
    let response = HTTPURLResponse(
        url: url, statusCode: 500, httpVersion: nil, headerFields: ["Content-Type": type])
    return APIRequestError(
        stage: .validate, request: URLRequest(url: url), response: response, data: body,
        underlying: underlying)
}

/// The start of an exchange, its response, and the error of the load.
private func events(
    of request: URLRequest, respondingWith body: Data, _ type: String
) async -> [ExchangeEvent] {
    let (events, continuation) = AsyncStream.makeStream(of: ExchangeEvent.self)
    let network = MockNetwork { _ in
        let response = HTTPURLResponse(
            url: url, statusCode: 500, httpVersion: nil, headerFields: ["Content-Type": type])!
        return (response, body)
    }
    let session = network.observed { continuation.yield($0) }
    _ = try? await session.load(request, as: [Int].self)
    continuation.finish()
    return await events.reduce(into: []) { $0.append($1) }
}

private func refused(_ body: Data, _ type: String) -> String { error(body, type).description }

/// An error at an element of an array, or about a body that is not JSON.
private func notDecoded(_ body: Data, at index: Int? = 1) -> String {
    struct Key: CodingKey {
        var stringValue: String { "Index \(intValue ?? 0)" }
        var intValue: Int?
        init?(stringValue: String) { nil }
        init(intValue: Int) { self.intValue = intValue }
    }
    let path = index.map { [Key(intValue: $0)] } ?? []
    let context = DecodingError.Context(codingPath: path, debugDescription: "not a Bool")
    let underlying: DecodingError =
        index == nil ? .dataCorrupted(context) : .typeMismatch(Bool.self, context)
    return error(body, "application/json", underlying).description
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
