import Foundation

/// The parser of a `text/event-stream`, as the HTML Standard defines it in section 9.2.6.
///
/// ```swift
/// var parser = ServerSentEvents()
/// let events = try parser.parse(Data("id: 7\ndata: hello\n\n".utf8))
/// // [ServerSentEvent(data: "hello", id: "7")]
/// ```
///
/// Lines end with LF, CR or CR LF. One byte order mark at the start is ignored, and so are comments
/// and unknown fields. Bytes that are not UTF-8 become U+FFFD. An event without a `data` field is
/// not returned. If the body ends inside an event, that event is not returned. An `id` field with
/// U+0000 is ignored.
///
/// The parser keeps at most one line and the data of one event, each at most `longestLine` bytes.
/// `json(_:decoder:)` decodes the data, and `until(_:)` knows the last event.
public struct ServerSentEvents: StreamParser, Sendable {
    /// The longest line of a stream by default: 16 MiB, enough for an event that contains an image.
    @usableFromInline static let longestLine = 16 * 1_048_576

    private var lines: LineParser<EventReader>

    /// Creates a parser that has parsed nothing yet.
    ///
    /// - Parameters:
    ///   - response: The status and the headers, for an API that answers one request with events or
    ///     with one JSON value. If the content type is JSON, the whole body is the data of one
    ///     event without an ID, and the stream is complete; also if the content type is not
    ///     `text/event-stream` and the body begins with `{` or `[`. An empty body is no event.
    ///   - mediaTypes: The media types of events to accept, in lower case. Empty for any type.
    ///   - longestLine: The number of bytes that a line may have, and the number of bytes that the
    ///     data of an event may have: by default, 16 MiB. Beyond it, the parser throws a
    ///     ``StreamError``.
    public init(
        orBodyOf response: HTTPURLResponse? = nil,
        mediaTypes: [String] = ["text/event-stream"], longestLine: Int = Self.longestLine
    ) {
        lines = LineParser(
            EventReader(longestData: longestLine, orBodyOf: response, mediaTypes: mediaTypes),
            longestLine: longestLine)
    }

    /// The time to wait before a client connects again, from the last valid `retry` field. `nil` if
    /// there was none.
    public var retry: Duration? { lines.reader.retry }

    /// The ID that a client sends as `Last-Event-ID` when it connects again. Empty if there is none.
    /// It is set before a connection that continues after an event.
    ///
    /// An event without data can change it, too.
    var lastEventID: String {
        get { lines.reader.lastEventID }
        set { lines.reader.lastEventID = newValue }
    }

    /// Whether the one JSON value of ``init(orBodyOf:mediaTypes:longestLine:)`` has been parsed.
    public var isComplete: Bool { lines.reader.isComplete }

    /// `text/event-stream`, unless the parser was created with others.
    public var mediaTypes: [String] { lines.mediaTypes }

    /// Appends the events that are complete with a piece of the stream.
    ///
    /// - Throws: ``StreamError`` if a line or the data of an event is too long, or if the body is
    ///   compressed.
    public mutating func parse(_ bytes: Data, into events: inout [ServerSentEvent]) throws {
        try lines.parse(bytes, into: &events)
    }

    /// Appends the JSON value of ``init(orBodyOf:mediaTypes:longestLine:)``, if the body is one.
    /// Otherwise appends nothing: an event is complete only when an empty line follows it.
    ///
    /// - Throws: ``StreamError`` if the last line or the JSON value is too long, or if the body is no
    ///   event stream: it is not empty, and has neither an event nor any field or comment.
    public mutating func finish(into events: inout [ServerSentEvent]) throws {
        try lines.finish(into: &events)
    }
}
