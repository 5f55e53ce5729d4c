import Foundation
import TestSupport
import Testing

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
    func aBodyOfJSONIsOneEvent(
        _ type: String, _ body: String, _ events: [ServerSentEvent]
    ) throws {
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 200, httpVersion: nil,
            headerFields: ["Content-Type": type])
        for pieces in Data(body.utf8).allPieces {
            var parser = ServerSentEvents(orBodyOf: response)
            let (parsed, error) = parser.deliver(pieces)
            #expect(parsed == events)
            #expect(error == nil)
        }
        #expect(
            ServerSentEvents(orBodyOf: response).mediaTypes.contains(type)
                == (type == "text/event-stream"))
    }

    @Test func parsesThePublishedCasesAtEverySplit() {
        for row in EventStreamCase.all {
            let name = Comment(rawValue: row.name)
            let stream = Data(row.stream.utf8)
            let expected = Outcome(
                events: row.events, lastEventID: row.lastEventID, retry: row.retry)
            #expect(stream.allPieces.allSatisfy { outcome($0) == expected }, name)
        }
    }

    @Test(
        arguments: [
            ([0x64, 0xc3], "d\u{fffd}"),
            ([0xe2, 0x82], "\u{fffd}"),
            ([0xf0, 0x9f, 0x92, 0x41], "\u{fffd}A"),
            ([0xff, 0xfe, 0x41], "\u{fffd}\u{fffd}A"),
            ([0xed, 0xa0, 0x80], "\u{fffd}\u{fffd}\u{fffd}"),
            ([0xc0, 0xaf], "\u{fffd}\u{fffd}"),
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
                "12",
                "x", "…", "\0", "\u{feff}", "data: long text\n", "id: 1\n",
            ].map { Data($0.utf8) } + [Data([0xff]), Data([0xe2, 0x80])]
        for round in 0..<40 {
            var stream = Data()
            for _ in 0..<(round % 3 == 0 ? 1_000 : 30) {
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
        let text = (0..<100_000).map { "data: \($0)\n\n" }.joined()
        let events = outcome([Data(text.utf8)]).events
        #expect(events.count == 100_000)
        #expect(events.last?.data == "99999")

        let long = String(repeating: "x", count: 100_000)
        let stream = Data("data: \(long)\n\n".utf8)
        #expect(outcome(stream.bytes, longestLine: 200_000).events.map(\.data) == [long])
    }

    @Test func limitsALineWhereverItIsCut() {
        let fits = Data("data:12345\n\n".utf8)
        let isTooLong = Data("data: a\n\n:123456789\r".utf8)
        let error = StreamError.lineTooLong(limit: 10)

        #expect(outcome([fits], longestLine: 10).error == nil)
        #expect(outcome(fits.bytes, longestLine: 10).error == nil)
        #expect(outcome([isTooLong], longestLine: 9) == outcome(isTooLong.bytes, longestLine: 9))
        let expected = Outcome(
            events: [ServerSentEvent(data: "a")], lastEventID: "",
            error: StreamError.lineTooLong(limit: 9))
        #expect(isTooLong.splits.allSatisfy { outcome($0, longestLine: 9) == expected })
        // The line never ends.
        #expect(outcome([Data(repeating: 0x78, count: 11)], longestLine: 10).error == error)
        #expect(
            outcome(Data(repeating: 0x78, count: 11).bytes, longestLine: 10).error == error)
    }

    @Test func limitsTheDataOfAnEvent() {
        let error = StreamError.lineTooLong(limit: 10)

        // Ten bytes, with the line feed between the lines.
        let fits = "data:1234\ndata:56789\n\n"
        #expect(outcome([Data((fits + fits).utf8)], longestLine: 10).error == nil)
        let isTooLong = Data("data:1234\ndata:56789\ndata\n\n".utf8)
        #expect(isTooLong.splits.allSatisfy { outcome($0, longestLine: 10).error == error })
        #expect(outcome(isTooLong.bytes, longestLine: 10).error == error)
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
}

/// The events of a whole stream, by the steps of the HTML Standard, without any regard for speed.
private func plainEvents(of stream: Data) -> [ServerSentEvent] {
    var scalars = Array(String(decoding: stream, as: UTF8.self).unicodeScalars)
    if scalars.first == "\u{feff}" { scalars.removeFirst() }
    var lines: [String.UnicodeScalarView] = []
    var line = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
        if scalars[index] == "\n" || scalars[index] == "\r" {
            if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" {
                index += 1
            }
            lines.append(line)
            line = String.UnicodeScalarView()
        } else {
            line.append(scalars[index])
        }
        index += 1
    }

    var (data, type, id) = (String.UnicodeScalarView(), "", "")
    var events: [ServerSentEvent] = []
    for line in lines {
        if line.isEmpty {
            if !data.isEmpty {
                data.removeLast()
                events.append(
                    ServerSentEvent(
                        event: type.isEmpty ? "message" : type, data: String(data), id: id))
            }
            (data, type) = (String.UnicodeScalarView(), "")
            continue
        }
        let field = String(String.UnicodeScalarView(line.prefix { $0 != ":" }))
        var value = String.UnicodeScalarView(line.drop { $0 != ":" }.dropFirst())
        if value.first == " " { value.removeFirst() }
        switch field {
        case "data":
            data.append(contentsOf: value)
            data.append("\n")
        case "event": type = String(value)
        case "id": if !value.contains("\0") { id = String(value) }
        default: break
        }
    }
    return events
}
