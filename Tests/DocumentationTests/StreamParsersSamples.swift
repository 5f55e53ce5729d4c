import APIKitLite
import Foundation
import TestSupport
import Testing

private struct Delta: Decodable, Equatable {
    var text: String
}

private struct ChatRequest: StreamedAPIRequest {
    let baseURL: URL

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/chat").jsonBody(["question": question])
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
        ServerSentEvents.json(Delta.self, until: "[DONE]")
    }
}

private struct PricesRequest: StreamedAPIRequest {
    struct Price: Decodable {
        var symbol: String
        var price: Double
    }

    let baseURL: URL

    func makeRequest(from symbols: [String]) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/prices", query: ["symbols": symbols.joined()])
    }

    func makeParser(for response: HTTPURLResponse) -> JSONLines<Price> { JSONLines() }
}

private struct Message: Decodable {
    var id: Int
}

private struct ToolRequest: StreamedAPIRequest {
    let baseURL: URL

    func makeRequest(from name: String) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/tools").jsonBody(["name": name])
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Message> {
        ServerSentEvents.json(Message.self, orBodyOf: response)
    }
}

/// Records that a separator, the byte 0x1E, ends.
struct Records: StreamParser {
    private var rest = Data()

    mutating func parse(_ bytes: Data) -> [String] {
        var parts = (rest + bytes).split(separator: 0x1e, omittingEmptySubsequences: false)
        rest = Data(parts.removeLast())
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func finish() -> [String] {
        rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
    }
}

/// The samples about parsers of Streams.md.
@Suite(.limited) private struct StreamParsersSamples {
    private let baseURL = URL(string: "https://api.example.com")!

    private func response(_ contentType: String) -> HTTPURLResponse {
        HTTPURLResponse(
            url: baseURL, statusCode: 200, httpVersion: nil,
            headerFields: ["Content-Type": contentType])!
    }

    @Test func parsesAChat() throws {
        let body = Data(
            "data: {\"text\": \"Hel\"}\n\ndata: {\"text\": \"lo\"}\n\ndata: [DONE]\n\n".utf8)

        let deltas = try ChatRequest(baseURL: baseURL).parseResponse(data: body)

        #expect(deltas.map(\.text) == ["Hel", "lo"])
    }

    @Test func refusesAChatThatIsCut() throws {
        let body = Data("data: {\"text\": \"Hel\"}\n\n".utf8)

        #expect(throws: StreamError.unfinished(terminator: "[DONE]", elementCount: 1)) {
            try ChatRequest(baseURL: baseURL).parseResponse(data: body)
        }
    }

    @Test func feedsAParserWithPieces() throws {
        var parser = ServerSentEvents()

        #expect(try parser.parse(Data("id: 7\ndata: hel".utf8)) == [])
        #expect(
            try parser.parse(Data("lo\n\n".utf8)) == [ServerSentEvent(data: "hello", id: "7")])
    }

    @Test func parsesLines() throws {
        let body = Data(
            "{\"symbol\": \"A\", \"price\": 1.5}\n{\"symbol\": \"B\", \"price\": 2}\n".utf8)
        let response = response("application/x-ndjson")

        let prices = try PricesRequest(baseURL: baseURL).parseResponse(
            data: body, response: response)

        #expect(prices.map(\.price) == [1.5, 2])
    }

    @Test func parsesJSONOrEvents() throws {
        let request = ToolRequest(baseURL: baseURL)
        let json = Data(#"{"id": 1}"#.utf8)
        let events = Data("data: {\"id\": 1}\n\ndata: {\"id\": 2}\n\n".utf8)

        let one = try request.parseResponse(data: json, response: response("application/json"))
        let two = try request.parseResponse(data: events, response: response("text/event-stream"))

        #expect(one.map(\.id) == [1])
        #expect(two.map(\.id) == [1, 2])
    }

    @Test func usesAnOwnParser() throws {
        var parser = Records()

        #expect(parser.parse(Data("a\u{1e}b".utf8)) == ["a"])
        #expect(parser.parse(Data("c\u{1e}d".utf8)) == ["bc"])
        #expect(parser.finish() == ["d"])
    }

    @Test func saysWhichElementIsWrong() throws {
        let body = Data(
            "{\"symbol\": \"A\", \"price\": 1.5}\n{\"symbol\": \"B\", \"price\": null}\n".utf8)

        let error = try #require(throws: StreamError.self) {
            try PricesRequest(baseURL: baseURL).parseResponse(data: body)
        }

        #expect(
            error.description == """
                Element 2 of the stream could not be parsed.
                At $.price: expected Double, found null.
                Element: {"price":null,"symbol":"B"}
                """)
    }
}
