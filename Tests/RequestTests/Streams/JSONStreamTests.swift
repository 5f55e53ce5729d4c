import APIKitLite
import Foundation
import TestSupport
import Testing

/// The parsers whose elements are decoded from JSON.
@Suite(.limited) struct JSONStreamTests {
    private struct Delta: Decodable { var text: String }

    /// The parser of a response whose body is one JSON value.
    private func wholeBody<Value: Decodable>(
        _ type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> some StreamParser<Value> {
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 200, httpVersion: nil,
            headerFields: ["Content-Type": "application/json"])
        return ServerSentEvents(orBodyOf: response).until(data: "[DONE]")
            .json(type, decoder: decoder)
    }

    private static let a = #"{"text":"a"}"#
    private static let b = #"{"text":"b"}"#

    @Test(arguments: [
        ("\(a)\n\(b)\n", ["a", "b"]),
        ("\(a)\r\n\r\n\(b)", ["a", "b"]),
        ("\u{feff}\(a)\n \t\r\n\n\(b)\n\n", ["a", "b"]),
        // CR is white space in JSON, so it does not end a line.
        ("{\"text\":\r\"a\"}\r\n", ["a"]),
        ("", []), ("\n", []), ("\u{feff}", []),
    ])
    func parsesLinesAtEverySplit(_ stream: String, _ texts: [String]) {
        let stream = Data(stream.utf8)
        for pieces in stream.allPieces {
            var parser = JSONLines(Delta.self)
            let (values, error) = parser.deliver(pieces)
            #expect(values.map(\.text) == texts)
            #expect(error == nil)
        }
    }

    @Test func returnsALineAsSoonAsItIsComplete() throws {
        var parser = JSONLines<Int>()

        #expect(try parser.parse(Data("1\n2".utf8)) == [1])
        #expect(try parser.parse(Data("3\n4".utf8)) == [23])
        #expect(try parser.finish() == [4])
    }

    @Test func deliversTheLinesBeforeOneThatCannotBeParsed() throws {
        let stream = Data("\(Self.a)\n\n{\"text\":7}\n\(Self.b)\n".utf8)
        for pieces in stream.allPieces {
            var parser = JSONLines(Delta.self)
            let (values, error) = parser.deliver(pieces)
            #expect(values.map(\.text) == ["a"])
            #expect(error is DecodingError)
        }
    }

    @Test func refusesALastLineThatIsCut() throws {
        var parser = JSONLines(Delta.self)

        #expect(try parser.parse(Data("\(Self.a)\n{\"te".utf8)).count == 1)
        #expect(throws: DecodingError.self) { try parser.finish() }
    }

    @Test func acceptsTheMediaTypesItIsGiven() {
        let own = JSONLines(Int.self, mediaTypes: ["application/vendor+x-ndjson"])

        #expect(own.mediaTypes == ["application/vendor+x-ndjson"])
        #expect(own.until { $0 == 1 }.map(String.init).mediaTypes == own.mediaTypes)
        #expect(JSONLines(Int.self, mediaTypes: []).mediaTypes.isEmpty)
        let standard = JSONLines(Int.self).mediaTypes
        #expect(standard.contains("application/x-ndjson") && standard.contains("text/plain"))
    }

    @Test func limitsALine() {
        var parser = JSONLines<String>(longestLine: 5)
        let (values, error) = parser.deliver([Data("\"abc\"\n\"abcd\"\n".utf8)])

        #expect(values == ["abc"])
        #expect(error as? StreamError == StreamError.lineTooLong(limit: 5))
    }

    @Test func usesTheDecoderItIsGiven() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Camel: Decodable { var itemId: Int }
        let json = #"{"item_id":1}"#

        var lines = JSONLines(Camel.self, decoder: decoder)
        #expect(lines.deliver([Data(json.utf8)]).elements.map(\.itemId) == [1])
        var events = ServerSentEvents().json(Camel.self, decoder: decoder)
        #expect(events.deliver([Data("data: \(json)\n\n".utf8)]).elements.map(\.itemId) == [1])
        var document = wholeBody(Camel.self, decoder: decoder)
        #expect(document.deliver([Data(json.utf8)]).elements.map(\.itemId) == [1])
    }

    @Test(arguments: [
        ("", 0), ("data: \(a)\n\n", 1), ("data: \(a)\n\n: alive\nid: 7", 1),
        ("data: \(a)\n\ndata: [DONE]\n", 1), ("data: \(a)\n\ndata: [DONE]", 1),
        ("data: a\ndata: b\nda", 0),
    ])
    func requiresTheTerminator(_ stream: String, _ count: Int) {
        var parser = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
        let (values, error) = parser.deliver([Data(stream.utf8)])

        #expect(values.count == count)
        #expect(error as? StreamError == .unfinished(elementCount: count))
    }

    @Test func passesOverAnEventWithoutJSON() {
        let stream = Data("id: 1\ndata:\n\nid: 2\ndata: \(Self.a)\n\n".utf8)
        for pieces in stream.allPieces {
            var parser = ServerSentEvents().json(Delta.self)
            let (values, error) = parser.deliver(pieces)
            #expect(values.map(\.text) == ["a"])
            #expect(error == nil)
        }
    }

    @Test func throwsAnErrorEvent() throws {
        let stream = Data("data: \(Self.a)\n\nevent: error\ndata: overloaded\n\n".utf8)
        for pieces in stream.allPieces {
            var parser = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
            let (values, error) = parser.deliver(pieces)
            #expect(values.map(\.text) == ["a"])
            let event = ServerSentEvent(event: "error", data: "overloaded")
            #expect(error as? StreamError == .event(event))
        }
    }

    @Test func parsesADocumentWhenItEnds() throws {
        var parser = wholeBody(Delta.self)

        for byte in Data("\n\(Self.a)".utf8).bytes { #expect(try parser.parse(byte).isEmpty) }
        #expect(try parser.finish().map(\.text) == ["a"])
        var marked = wholeBody(Delta.self)
        #expect(marked.deliver([Data("\u{feff}\(Self.a)".utf8)]).elements.map(\.text) == ["a"])
    }

    @Test(arguments: ["{", #"{"text":1}"#])
    func refusesADocumentThatCannotBeParsed(_ body: String) {
        var parser = wholeBody(Delta.self)
        let (values, error) = parser.deliver([Data(body.utf8)])

        #expect(values.isEmpty)
        #expect(error is DecodingError)
    }

    @Test func refusesACompressedBody() {
        let body = Data([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3])
        for pieces in [[body], body.bytes] {
            var lines = JSONLines(Delta.self)
            #expect(lines.deliver(pieces).error as? StreamError == .compressed)
            var events = ServerSentEvents().json(Delta.self)
            #expect(events.deliver(pieces).error as? StreamError == .compressed)
            var document = wholeBody(Delta.self)
            #expect(document.deliver(pieces).error as? StreamError == .compressed)
        }
    }
}
