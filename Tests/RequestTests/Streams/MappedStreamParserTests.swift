import APIKitLite
import Foundation
import TestSupport
import Testing

/// Parsers whose elements a function changes, and the parser of bytes.
@Suite(.limited) struct MappedStreamParserTests {
    private struct Refusal: Error, Equatable { var text: String }

    private static func stream(_ words: String...) -> Data {
        Data(words.map { "id: \($0)\ndata: \($0)\n\n" }.joined().utf8)
    }

    /// Refuses `bad`, and leaves `skip` out.
    private static func change(_ event: ServerSentEvent) throws -> String? {
        if event.data == "bad" { throw Refusal(text: event.data) }
        return event.data == "skip" ? nil : event.data.uppercased()
    }

    @Test func mapsEachElementAtEverySplit() {
        for pieces in Self.stream("a", "skip", "b").allPieces {
            var some = ServerSentEvents().compactMap(Self.change)
            #expect(some.deliver(pieces).elements == ["A", "B"])
            var all = ServerSentEvents().map { try Self.change($0) }
            #expect(all.deliver(pieces).elements == ["A", nil, "B"])
        }
    }

    @Test func deliversTheElementsBeforeAnErrorOfTheFunction() {
        for pieces in Self.stream("a", "bad", "b").allPieces {
            var parser = ServerSentEvents().compactMap(Self.change)
            let (words, error) = parser.deliver(pieces)
            #expect(words == ["A"])
            #expect(error as? Refusal == Refusal(text: "bad"))
        }
    }

    @Test func deliversTheElementsBeforeAnErrorOfTheOtherParser() {
        let isTooLong = Self.stream("a", "b") + Data("data: 0123456789\n\n".utf8)
        for pieces in isTooLong.allPieces {
            var parser = ServerSentEvents(longestLine: 9).compactMap(Self.change)
            let (words, error) = parser.deliver(pieces)
            #expect(words == ["A", "B"])
            #expect(error as? StreamError == .lineTooLong(limit: 9))
        }
    }

    /// Of two errors in one piece, the one of the earlier element counts.
    @Test func throwsTheEarlierOfTwoErrors() {
        var parser = ServerSentEvents(longestLine: 9).compactMap(Self.change)
        let (words, error) = parser.deliver([
            Self.stream("a", "bad") + Data("data: 0123456789\n\n".utf8)
        ])

        #expect(words == ["A"])
        #expect(error is Refusal)
    }

    @Test func mapsTheElementsAtTheEnd() {
        var parser = JSONLines(Int.self).map { 10 * $0 }.map(String.init)

        #expect(parser.deliver([Data("1\n2".utf8)]).elements == ["10", "20"])
    }

    @Test func keepsWhatTheOtherParserKnows() throws {
        var parser = ServerSentEvents().compactMap(Self.change)
        #expect(try parser.parse(Data("retry: 5\n".utf8) + Self.stream("a", "skip")) == ["A"])
        #expect(parser.mediaTypes == ["text/event-stream"])
        #expect(!parser.isComplete)
    }
}
