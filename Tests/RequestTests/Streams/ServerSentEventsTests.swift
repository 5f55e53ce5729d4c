import TestSupport

@testable import APIKitLite

@Suite(.limited) struct ServerSentEventsTests {
    /// All that can be seen of a parser.
    private struct Outcome: Equatable {
        var events: [ServerSentEvent]
        var lastEventID: String
        var retry: Duration?
        var error: StreamError?
    }

    private func outcome(_ pieces: [Data], longestLine: Int = 10_000) -> Outcome {
        var parser = ServerSentEvents(longestLine: longestLine)
        let (events, error) = parser.deliver(pieces)
        return Outcome(
            events: events, lastEventID: parser.lastEventID, retry: parser.retry,
            error: error as? StreamError)
    }

    @Test(arguments: [
        ("application/json", "{\"a\":\n\n1}", [ServerSentEvent(data: "{\"a\":\n\n1}")]),
        ("application/problem+json; charset=utf-8", "1", [ServerSentEvent(data: "1")]),
        ("application/json", "", []),
        ("text/event-stream", "id: 1\ndata:\n\n", [ServerSentEvent(data: "", id: "1")]),
    ])
    func aBodyOfJSONIsOneEvent(_ type: String, _ body: String, _ events: [ServerSentEvent]) {
        let parser = ServerSentEvents(orBodyOf: .typed(type))

        #expect(parser.delivers(events, of: body))
        #expect(parser.mediaTypes.contains(type) == (type == "text/event-stream"))
    }

    @Test func parsesThePublishedCasesAtEverySplit() {
        for row in EventStreamCase.all {
            let expected = Outcome(
                events: row.events, lastEventID: row.lastEventID, retry: row.retry)
            let pieces = Data(row.stream.utf8).allPieces
            #expect(pieces.allSatisfy { outcome($0) == expected }, "\(row.name)")
        }
    }

    @Test(
        arguments: [
            ([0x64, 0xc3], "d\u{fffd}"), ([0xe2, 0x82], "\u{fffd}"),
            ([0xf0, 0x9f, 0x92, 0x41], "\u{fffd}A"), ([0xff, 0xfe, 0x41], "\u{fffd}\u{fffd}A"),
            ([0xed, 0xa0, 0x80], "\u{fffd}\u{fffd}\u{fffd}"), ([0xc0, 0xaf], "\u{fffd}\u{fffd}"),
            ([0xef, 0xbb, 0xbf, 0x41], "\u{feff}A"),
        ] as [([UInt8], String)])
    func replacesBytesThatAreNotUTF8(_ bytes: [UInt8], _ text: String) {
        let stream = Data("id:".utf8) + bytes + Data("\ndata:".utf8) + bytes + Data("\n\n".utf8)
        let expected = Outcome(events: [ServerSentEvent(data: text, id: text)], lastEventID: text)

        #expect(stream.allPieces.allSatisfy { outcome($0) == expected })
    }

    @Test func returnsAnEventAsSoonAsItIsComplete() throws {
        var parser = ServerSentEvents()

        #expect(try parser.parse(Data("data: a\r\n\r".utf8)).map(\.data) == ["a"])
        #expect(try parser.parse(Data("\n".utf8)).isEmpty)
        #expect(try parser.parse(Data("data: b\n\n".utf8)).map(\.data) == ["b"])
        #expect(try parser.parse(Data()).isEmpty)
        #expect(try parser.finish().isEmpty)
    }

    @Test func parsesRandomStreamsAsTheAlgorithmIsWritten() {
        var random = SeededGenerator(seed: 1)
        let parts =
            [
                "data", "event", "id", "retry", ":", ": ", " ", "\n", "\n", "\r", "\r\n", "\n\n",
                "12", "x", "…", "\0", "\u{feff}", "data: long text\n", "id: 1\n",
            ].map { Data($0.utf8) } + [Data([0xff]), Data([0xe2, 0x80])]
        for round in 0..<40 {
            var stream = Data()
            for _ in 0..<(round % 3 == 0 ? 300 : 30) {
                stream += parts.randomElement(using: &random)!
            }
            let expected = plainEvents(of: stream)
            #expect(outcome([stream]).events == expected, "seed 1, round \(round)")
            for longest in [1, 3, 40] {
                let pieces = stream.pieces(upTo: longest, using: &random)
                #expect(outcome(pieces).events == expected, "seed 1, round \(round), \(longest)")
            }
        }
    }

    @Test func parsesVeryManyEventsAndVeryManyPieces() {
        let text = (0..<20_000).map { "data: \($0)\n\n" }.joined()
        let events = outcome([Data(text.utf8)]).events
        #expect(events.count == 20_000)
        #expect(events.last?.data == "19999")

        let long = String(repeating: "x", count: 20_000)
        let stream = Data("data: \(long)\n\n".utf8)
        #expect(outcome(stream.bytes, longestLine: 40_000).events.map(\.data) == [long])
    }

    @Test func limitsALineAndTheDataOfAnEvent() {
        let parser = ServerSentEvents(longestLine: 10).map(\.data)
        let tooLong = StreamError.lineTooLong(limit: 10)

        #expect(parser.delivers(["12345"], of: "data:12345\n\n"))
        #expect(parser.delivers(["a"], then: tooLong, of: "data: a\n\n:1234567890\r"))
        // The line never ends.
        #expect(parser.delivers([], then: tooLong, of: "xxxxxxxxxxx"))
        // Ten bytes, with the line feed between the lines.
        let data = "data:1234\ndata:56789\n"
        #expect(parser.delivers(["1234\n56789"], of: data + "\n"))
        #expect(parser.delivers([], then: tooLong, of: data + "data\n\n"))
    }

    @Test func refusesACompressedBody() {
        let body = Data([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3])

        for pieces in body.splits + [body.bytes, [body + Data("\n\n".utf8)]] {
            var parser = ServerSentEvents()
            #expect(parser.deliver(pieces).error as? StreamError == .compressed)
        }
        // A byte order mark is ignored only at the start of a stream.
        #expect(outcome([Data("data: a\n\n".utf8) + body + Data("\n".utf8)]).events.count == 1)
    }

    // MARK: Events

    @Test(arguments: [
        (ServerSentEvent(data: "a"), "data: a\n\n"), (ServerSentEvent(data: ""), "data: \n\n"),
        (ServerSentEvent(event: "", data: " a"), "data:  a\n\n"),
        (ServerSentEvent(event: "add", data: "a", id: "7"), "event: add\nid: 7\ndata: a\n\n"),
        (ServerSentEvent(data: "a\nb\r\nc\rd\n"), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"),
        // No other character ends a line.
        (ServerSentEvent(data: "a\u{2028}b\u{85}c\u{b}"), "data: a\u{2028}b\u{85}c\u{b}\n\n"),
        (
            ServerSentEvent(event: "a\nb", data: "x", id: "1\r\ndata: y\r2"),
            "event: a b\nid: 1 data: y 2\ndata: x\n\n"
        ),
    ])
    func isWrittenAsAServerSendsIt(_ event: ServerSentEvent, _ text: String) {
        #expect(event.text == text)
    }

    @Test func isParsedAsItWasWritten() throws {
        let events = [
            ServerSentEvent(data: "{\"a\": \"é\"}"), ServerSentEvent(data: ""),
            ServerSentEvent(event: "add", data: "\n\n a: b\n", id: "1"),
            ServerSentEvent(event: "data", data: "\u{feff}:", id: " 2"),
        ]
        var parser = ServerSentEvents()

        #expect(try parser.parse(Data(events.map(\.text).joined().utf8)) == events)
    }
}

/// The events of a whole stream, by the steps of the HTML Standard, without any regard for speed.
private func plainEvents(of stream: Data) -> [ServerSentEvent] {
    var text = String(decoding: stream, as: UTF8.self)
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    // Without the rest after the last line end.
    let lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
        .dropLast()

    var (data, type, id) = ("", "", "")
    var events: [ServerSentEvent] = []
    for line in lines {
        if line.isEmpty {
            if !data.isEmpty {
                let event = type.isEmpty ? "message" : type
                events.append(ServerSentEvent(event: event, data: String(data.dropLast()), id: id))
            }
            (data, type) = ("", "")
            continue
        }
        var value = line.drop { $0 != ":" }.dropFirst()
        if value.first == " " { value.removeFirst() }
        switch line.prefix(while: { $0 != ":" }) {
        case "data": data += value + "\n"
        case "event": type = String(value)
        case "id" where !value.contains("\0"): id = String(value)
        default: break
        }
    }
    return events
}
