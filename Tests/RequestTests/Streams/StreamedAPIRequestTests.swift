import APIKitLite
import TestSupport

@Suite(.limited) struct StreamedAPIRequestTests {
    private struct Delta: Decodable, Equatable { var text: String }

    /// `Decodable` elements, for which `APIRequest` has another default.
    private struct ChatRequest: StreamedAPIRequest {
        func makeRequest(from question: String) throws -> URLRequest {
            try URLRequest("POST", URL(string: "https://h")!, path: "/chat")
        }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
            ServerSentEvents().until(data: "[DONE]").json(Delta.self)
        }
    }

    /// Elements that are not `Decodable`.
    private struct EventsRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest("GET", URL(string: "https://h")!, path: "/events")
        }

        func makeParser(for response: HTTPURLResponse) -> ServerSentEvents { ServerSentEvents() }
    }

    /// JSON or events, as the server likes.
    private struct ToolRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest("POST", URL(string: "https://h")!, path: "/tools")
        }

        func makeParser(for response: HTTPURLResponse) throws -> some StreamParser<Delta> {
            if response.value(forHTTPHeaderField: "X-Refused") != nil { throw TestError() }
            return ServerSentEvents(orBodyOf: response).json(Delta.self)
        }
    }

    /// Parses through the protocol, as a loader does.
    private func parse<T: APIRequest>(
        _ request: T, _ body: String, _ response: HTTPURLResponse = .status(200)
    ) throws -> T.ResponseDataType {
        try request.validateResponse(data: Data(body.utf8), response: response)
        return try request.parseResponse(data: Data(body.utf8), response: response)
    }

    private static let chat = "data: {\"text\":\"a\"}\n\ndata: {\"text\":\"b\"}\n\ndata: [DONE]\n\n"

    @Test func parsesAWholeBody() throws {
        let deltas = [Delta(text: "a"), Delta(text: "b")]
        #expect(try parse(ChatRequest(), Self.chat) == deltas)
        // What follows the last element is not parsed.
        let body = Data("\(Self.chat)data: x\n\n".utf8)
        #expect(try ChatRequest().parseResponse(data: body) == deltas)

        let events = [ServerSentEvent(data: "a")]
        #expect(try parse(EventsRequest(), "data: a\n\n") == events)
        #expect(try EventsRequest().parseResponse(data: Data("data: a\n\n".utf8)) == events)
    }

    @Test func parsesWhatTheServerChose() throws {
        for (body, type) in [
            ("{\"text\":\n\"a\"}", "application/json; charset=utf-8"),
            (#"{"text":"a"}"#, "application/vnd.api+json"),
            ("data: {\"text\":\"a\"}\n\n", "text/event-stream"),
        ] { #expect(try parse(ToolRequest(), body, .typed(type)) == [Delta(text: "a")]) }
        #expect(throws: StreamError.self) { try parse(ToolRequest(), "", .typed("text/html")) }
    }

    @Test func throwsTheErrorsOfMakingAndParsing() {
        #expect(throws: TestError.self) {
            try parse(ToolRequest(), "{}", .status(200, headers: ["X-Refused": "1"]))
        }
        #expect(throws: StreamError.self) { try parse(ChatRequest(), "data: {\"text\":\"a\"}\n\n") }
        // The error is not hidden by the element before it.
        #expect(throws: DecodingError.self) {
            try parse(ChatRequest(), "data: {\"text\":\"a\"}\n\ndata: 7\n\n")
        }
        #expect(throws: UnacceptableStatusError.self) {
            try parse(ChatRequest(), Self.chat, .status(500))
        }
    }

    @Test(
        arguments: [
            (nil, nil), ("text/event-stream", nil), ("Text/Event-Stream", nil),
            ("text/event-stream;", nil), ("text/event-stream;bogus", nil),
            ("text/event-stream; charset=windows-1252", nil), ("", nil),
            ("text/x-bogus", "text/x-bogus"), ("text/html; charset=utf-8", "text/html"),
            ("application/json", "application/json"),
            ("text/event-streamer", "text/event-streamer"),
        ] as [(String?, String?)])
    func acceptsOnlyTheContentTypeOfEvents(_ type: String?, _ refused: String?) throws {
        let result = Result {
            try parse(EventsRequest(), "data: …\n\n", .typed(type)).map(\.data)
        }

        if let refused {
            let expected = ["text/event-stream"]
            let error = StreamError.unexpectedContentType(found: refused, expected: expected)
            #expect(throws: error) { try result.get() }
        } else {
            #expect(try result.get() == ["…"])
        }
    }

    /// Events under the wrong name.
    private struct TextRequest: StreamedAPIRequest {
        var mediaTypes: [String] = []

        func makeRequest(from: Void) -> URLRequest { URLRequest(url: URL(string: "https://h")!) }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<String> {
            ServerSentEvents(orBodyOf: response, mediaTypes: mediaTypes).map(\.data)
        }
    }

    @Test(arguments: ["text/plain", "text/html", "text/event-stream"])
    func acceptsEventsOfAnyContentTypeOnRequest(_ type: String) throws {
        let response = HTTPURLResponse.typed(type)

        #expect(try parse(TextRequest(), "data: a\n\n", response) == ["a"])
        #expect(throws: StreamError.unexpectedContentType(found: type, expected: ["text/x-sse"])) {
            try parse(TextRequest(mediaTypes: ["text/x-sse"]), "data: a\n\n", response)
        }
    }

    /// A parser of another module, with the defaults of the protocol.
    private struct Halves: StreamParser {
        private var count = 0

        mutating func parse(_ bytes: Data, into halves: inout [Int]) { count += bytes.count }

        func finish(into halves: inout [Int]) { halves += [count / 2, count - count / 2] }
    }

    private struct HalvesRequest: StreamedAPIRequest {
        func makeRequest(from: Void) -> URLRequest { URLRequest(url: URL(string: "https://h")!) }
        func makeParser(for response: HTTPURLResponse) -> Halves { Halves() }
    }

    @Test func usesAParserThatAClientWrote() throws {
        #expect(try parse(HalvesRequest(), "12345", .typed("image/png")) == [2, 3])
        #expect(!Halves().isComplete)
        #expect(Halves().mediaTypes.isEmpty)
    }
}
