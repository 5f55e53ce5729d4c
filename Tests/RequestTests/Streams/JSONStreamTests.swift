import APIKitLite
import TestSupport

@Suite(.limited) struct JSONStreamTests {
    private struct Delta: Decodable { var text: String }

    private static let a = #"{"text":"a"}"#
    private static let b = #"{"text":"b"}"#

    private let lines = JSONLines(Delta.self)
    private let undecodable = DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: ""))

    private var events: some StreamParser<Delta> & Sendable { ServerSentEvents().json(Delta.self) }

    private var ended: some StreamParser<Delta> & Sendable {
        ServerSentEvents().until(data: "[DONE]").json(Delta.self)
    }

    private func wholeBody<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> some StreamParser<Value> & Sendable {
        ServerSentEvents(orBodyOf: .typed("application/json")).until(data: "[DONE]")
            .json(type, decoder: decoder)
    }

    @Test(arguments: [
        ("\(a)\n\(b)\n", ["a", "b"]), ("\(a)\r\n\r\n\(b)", ["a", "b"]),
        ("\u{feff}\(a)\n \t\r\n\n\(b)\n\n", ["a", "b"]),
        // CR is white space in JSON, so it does not end a line.
        ("{\"text\":\r\"a\"}\r\n", ["a"]), ("", []), ("\n", []), ("\u{feff}", []),
    ])
    func parsesLinesAtEverySplit(_ stream: String, _ texts: [String]) {
        #expect(lines.map(\.text).delivers(texts, of: stream))
    }

    @Test func returnsALineAsSoonAsItIsComplete() throws {
        var parser = JSONLines<Int>()

        #expect(try parser.parse(Data("1\n2".utf8)) == [1])
        #expect(try parser.parse(Data("3\n4".utf8)) == [23])
        #expect(try parser.finish() == [4])
    }

    @Test func deliversTheElementsBeforeAnError() throws {
        for rest in ["\n{\"text\":7}\n\(Self.b)\n", "{\"te"] {
            #expect(lines.map(\.text).delivers(["a"], then: undecodable, of: "\(Self.a)\n\(rest)"))
        }
        let long = JSONLines<String>(longestLine: 5)
        #expect(
            long.delivers(
                ["abc"], then: StreamError.lineTooLong(limit: 5), of: "\"abc\"\n\"abcd\"\n"))
        let event = ServerSentEvent(event: "error", data: "overloaded")
        #expect(
            ended.map(\.text).delivers(
                ["a"], then: StreamError.event(event), of: "data: \(Self.a)\n\n" + event.text))
    }

    @Test func acceptsTheMediaTypesItIsGiven() {
        let own = JSONLines(Int.self, mediaTypes: ["application/vendor+x-ndjson"])

        #expect(own.mediaTypes == ["application/vendor+x-ndjson"])
        #expect(own.until { $0 == 1 }.map(String.init).mediaTypes == own.mediaTypes)
        #expect(JSONLines(Int.self, mediaTypes: []).mediaTypes.isEmpty)
        let standard = Set(lines.mediaTypes)
        #expect(standard.isSuperset(of: ["application/x-ndjson", "text/plain"]))
    }

    @Test func usesTheDecoderItIsGiven() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Camel: Decodable { var itemId: Int }
        let json = #"{"item_id":1}"#

        let lines = JSONLines(Camel.self, decoder: decoder).map(\.itemId)
        #expect(lines.delivers([1], of: json))
        let events = ServerSentEvents().json(Camel.self, decoder: decoder).map(\.itemId)
        #expect(events.delivers([1], of: "data: \(json)\n\n"))
        #expect(wholeBody(Camel.self, decoder: decoder).map(\.itemId).delivers([1], of: json))
    }

    @Test(arguments: [
        ("", 0), ("data: \(a)\n\n", 1), ("data: \(a)\n\n: alive\nid: 7", 1),
        ("data: \(a)\n\ndata: [DONE]\n", 1), ("data: \(a)\n\ndata: [DONE]", 1),
        ("data: a\ndata: b\nda", 0),
    ])
    func requiresTheTerminator(_ stream: String, _ count: Int) {
        #expect(
            ended.map(\.text).delivers(
                Array(repeating: "a", count: count),
                then: StreamError.unfinished(elementCount: count), of: stream))
    }

    @Test func passesOverAnEventWithoutJSON() {
        let stream = "id: 1\ndata:\n\nid: 2\ndata: \(Self.a)\n\n"
        #expect(events.map(\.text).delivers(["a"], of: stream))
    }

    @Test func parsesADocumentWhenItEnds() throws {
        var parser = wholeBody(Delta.self)
        for byte in Data("\n\(Self.a)".utf8).bytes { #expect(try parser.parse(byte).isEmpty) }
        #expect(try parser.finish().map(\.text) == ["a"])
        // It needs no last event, but a value.
        #expect(parser.isComplete)
        let nothing = StreamError.unfinished(elementCount: 0)

        let document = wholeBody(Delta.self).map(\.text)
        #expect(document.delivers([], then: nothing, of: ""))
        #expect(document.delivers(["a"], of: "\u{feff}\(Self.a)"))
        for body in ["{", #"{"text":1}"#] {
            #expect(document.delivers([], then: undecodable, of: body))
        }
    }

    @Test func refusesACompressedBody() {
        let body = Data([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3])
        func error(_ parser: some StreamParser<Delta>, _ pieces: [Data]) -> StreamError? {
            var parser = parser
            return parser.deliver(pieces).error as? StreamError
        }
        for pieces in [[body], body.bytes] {
            #expect(error(lines, pieces) == .compressed)
            #expect(error(events, pieces) == .compressed)
            #expect(error(wholeBody(Delta.self), pieces) == .compressed)
        }
    }
}
