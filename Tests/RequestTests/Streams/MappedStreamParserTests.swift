import APIKitLite
import TestSupport

@Suite(.limited) struct MappedStreamParserTests {
    private static func stream(_ words: String...) -> String {
        words.map { "id: \($0)\ndata: \($0)\n\n" }.joined()
    }

    /// Refuses `bad`, and leaves `skip` out.
    private static func change(_ event: ServerSentEvent) throws -> String? {
        if event.data == "bad" { throw TestError(number: 7) }
        return event.data == "skip" ? nil : event.data.uppercased()
    }

    @Test func mapsEachElementAtEverySplit() {
        let parser = ServerSentEvents().compactMap(Self.change)
        let short = ServerSentEvents(longestLine: 9).compactMap(Self.change)
        let tooLong = StreamError.lineTooLong(limit: 9)
        let end = "data: 0123456789\n\n"

        #expect(parser.delivers(["A", "B"], of: Self.stream("a", "skip", "b")))
        #expect(
            ServerSentEvents().map { try Self.change($0) }
                .delivers(["A", nil, "B"], of: Self.stream("a", "skip", "b")))
        // The elements before an error of the function, or of the other parser.
        #expect(
            parser.delivers(["A"], then: TestError(number: 7), of: Self.stream("a", "bad", "b")))
        #expect(short.delivers(["A", "B"], then: tooLong, of: Self.stream("a", "b") + end))
        // Of two errors in one piece, the one of the earlier element counts.
        #expect(
            short.delivers(["A"], then: TestError(number: 7), of: Self.stream("a", "bad") + end))
        #expect(
            JSONLines(Int.self).map { 10 * $0 }.map(String.init).delivers(["10", "20"], of: "1\n2"))
    }

    @Test func keepsWhatTheOtherParserKnows() throws {
        var parser = ServerSentEvents().compactMap(Self.change)
        #expect(try parser.parse(Data(("retry: 5\n" + Self.stream("a", "skip")).utf8)) == ["A"])
        #expect(parser.mediaTypes == ["text/event-stream"])
        #expect(!parser.isComplete)
    }
}
