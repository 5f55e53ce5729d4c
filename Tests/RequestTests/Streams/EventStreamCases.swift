import APIKitLite

/// An event stream and what its parser must return.
struct EventStreamCase: Sendable {
    let name: String
    let stream: String
    let events: [ServerSentEvent]
    let lastEventID: String
    let retry: Duration?

    init(
        _ name: String, _ stream: String, _ events: [ServerSentEvent] = [], data: [String] = [],
        lastEventID: String = "", retry: Duration? = nil
    ) {
        (self.name, self.stream, self.lastEventID, self.retry) = (name, stream, lastEventID, retry)
        self.events = events + data.map { ServerSentEvent(data: $0, id: lastEventID) }
    }
}

extension EventStreamCase {
    /// The examples of the HTML Standard, section 9.2.6.
    static let standard: [Self] = [
        Self("lines of one event", "data: YHOO\ndata: +2\ndata: 10\n\n", data: ["YHOO\n+2\n10"]),
        Self(
            "a comment, and IDs",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                + "data:  third event\n\n",
            [
                ServerSentEvent(data: "first event", id: "1"),
                ServerSentEvent(data: "second event"), ServerSentEvent(data: " third event"),
            ]),
        Self(
            "empty data, and an event that is not complete", "data\n\ndata\ndata\n\ndata:",
            data: ["", "\n"]),
        Self("with and without a space", "data:test\n\ndata: test\n\n", data: ["test", "test"]),
    ]

    private static let longComment = String(repeating: "x", count: 256)

    /// The streams of the web platform tests, `eventsource/format-*`, with the line ends that their
    /// server adds, and a shorter comment.
    static let webPlatform: [Self] = [
        Self("format-bom", "\u{feff}data:1\n\n\u{feff}data:2\n\ndata:3\n\n\n", data: ["1", "3"]),
        Self("format-bom-2", "\u{feff}\u{feff}data:1\n\ndata:2\n\ndata:3\n\n\n", data: ["2", "3"]),
        Self(
            "format-comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(longComment)\rdata:3\n:data:fail\r:\(longComment)\n"
                + "data:4\n\n\n\n", data: ["1\n2\n3\n4"]),
        Self(
            "format-data-before-final-empty-line",
            "retry:1000\ndata:test1\n\nid:test\ndata:test2\n", data: ["test1"], retry: .seconds(1)),
        Self(
            "format-field-data", "data:\n\ndata\ndata\n\ndata:test\n\n\n", data: ["", "\n", "test"]),
        Self(
            "format-field-event", "event:test\ndata:x\n\ndata:x\n\n\n",
            [ServerSentEvent(event: "test", data: "x"), ServerSentEvent(data: "x")]),
        Self("format-field-event-empty", "event: \ndata:data\n\n\n", data: ["data"]),
        Self(
            "format-field-id", "id: …\nretry: 200\ndata: hello\n\n\n", data: ["hello"],
            lastEventID: "…", retry: .milliseconds(200)),
        Self(
            "format-field-id-2", "id: …\nretry: 200\ndata: hello\n\ndata: hello\n\n\n",
            data: ["hello", "hello"], lastEventID: "…", retry: .milliseconds(200)),
        Self(
            "format-field-id-3", "id: …\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\ndata: 4\n\n",
            [
                ServerSentEvent(data: "1", id: "…"), ServerSentEvent(data: "2", id: "…"),
                ServerSentEvent(data: "3"), ServerSentEvent(data: "4"),
            ]),
        Self(
            "format-field-parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
                + " data:32\ndata:4\n\n\n", data: ["\0\n 2\n1\n3\n\n4"]),
        Self("format-field-retry", "retry:03000\ndata:x\n\n\n", data: ["x"], retry: .seconds(3)),
        Self(
            "format-field-retry-bogus", "retry:3000\nretry:1000x\ndata:x\n\n\n", data: ["x"],
            retry: .seconds(3)),
        Self("format-field-retry-empty", "retry\ndata:test\n\n\n", data: ["test"]),
        Self(
            "format-field-unknown",
            "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n\n",
            data: ["test\n\ntest"]),
        Self(
            "format-leading-space", "data:\ttest\rdata: \ndata:test\n\n\n",
            data: ["\ttest\n\ntest"]),
        Self("format-newlines", "data:test\r\ndata\ndata:test\r\n\r\n", data: ["test\n\ntest"]),
        Self("format-null-character", "data:\0\n\n\n\n\n\n", data: ["\0"]),
        Self("format-utf-8", "data:ok…\n\n\n", data: ["ok…"]),
    ]

    /// The IDs of `format-field-id-null`, none of which is an ID.
    static let withNull: [Self] = ["\0\0", "x\0", "\0x", "x\0x", " \0"].map { id in
        Self("format-field-id-null", "id: \(id)\ndata: hello\n\n\n", data: ["hello"])
    }

    /// Cases that the published cases do not contain.
    static let others: [Self] = [
        Self("empty", "", data: []), Self("only a byte order mark", "\u{feff}", data: []),
        Self("only blank lines", "\r\r\n\n\r", data: []),
        Self("CR alone", "data: a\r\rdata: b\r\r", data: ["a", "b"]),
        Self("CR, then CR LF", "data: a\r\r\ndata: b\r\r\n", data: ["a", "b"]),
        Self("LF, then CR", "data: a\n\rdata: b\n\r", data: ["a", "b"]),
        Self(
            "no data: the type is reset and the ID is kept", "event: a\nid: 1\n\ndata: x\n\n",
            data: ["x"], lastEventID: "1"),
        Self(
            "the last type counts", "event: a\nevent: b\ndata: x\n\n",
            [ServerSentEvent(event: "b", data: "x")]),
        Self(
            "an ID after the last empty line does not count", "id: 1\ndata: x\n\nid: 2\n",
            data: ["x"], lastEventID: "1"),
        Self(
            "retry: no sign, no fraction, no other digits",
            "retry: +5\nretry: -5\nretry: 1.5\nretry: ٣\nretry:  7\n", data: []),
        Self(
            "retry: too large", "retry: 99999999999999999999\n", data: [],
            retry: .milliseconds(Int64.max)),
        Self("retry: at once", "retry: 10\n", data: [], retry: .milliseconds(10)),
        Self(
            "retry: not in a line that is cut", "retry: 10\nretry: 2", data: [],
            retry: .milliseconds(10)),
        Self("colons in the data", "data: a: b:c\n\n", data: ["a: b:c"]),
        Self("two spaces", "data:  a \n\n", data: [" a "]),
        Self("a name in upper case", "DATA: a\nId: 1\n\n", data: []),
        Self("no name", ": \n:\ndata:x\n\n", data: ["x"]),
    ]

    static let all = standard + webPlatform + withNull + others
}
