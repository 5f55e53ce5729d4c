import APIKitLite
import TestSupport

@Suite(.limited) struct ServerSentEventTests {
    @Test(arguments: [
        (ServerSentEvent(data: "a"), "data: a\n\n"),
        (ServerSentEvent(data: ""), "data: \n\n"),
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

    @Test func keepsTheIDOfTheEventBefore() throws {
        let events = [ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b")]
        var parser = ServerSentEvents()

        #expect(try parser.parse(Data(events.map(\.text).joined().utf8)).map(\.id) == ["1", "1"])
    }
}
