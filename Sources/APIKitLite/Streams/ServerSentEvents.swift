import Foundation

/// A parser for a `text/event-stream`, as defined in the HTML Standard, section 9.2.6.
///
/// ```swift
/// var parser = ServerSentEvents()
/// let events = try parser.parse(Data("id: 7\ndata: hello\n\n".utf8))
/// // [ServerSentEvent(data: "hello", id: "7")]
/// ```
///
/// Lines end with LF, CR or CR LF. One byte order mark at the start, comments and unknown fields
/// are ignored. Bytes that are not UTF-8 become U+FFFD. An event without a `data` field is not
/// returned, nor is an event cut off by the end of the body. An `id` field with U+0000 is ignored.
///
/// The parser keeps at most one line and the data of one event, each at most `longestLine` bytes.
/// `json(_:decoder:)` decodes the data, and `until(_:)` ends at the last event.
public struct ServerSentEvents: StreamParser, Sendable {
    /// The default maximum line length: 16 MiB, enough for an event that contains an image.
    @usableFromInline static let longestLine = 16 * 1_048_576

    private var lines: LineParser<EventReader>

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - response: The status and the headers, for an API that returns either events or one JSON
    ///     value. If the content type is JSON, or is not `text/event-stream` and the body begins
    ///     with `{` or `[`, the whole body is the data of one event without an ID, and the stream
    ///     is complete. An empty body is not an event.
    ///   - mediaTypes: The media types of events to accept, in lower case, or empty for any type.
    ///   - longestLine: The maximum size in bytes of a line, and of an event's data. By default, 16
    ///     MiB. If it is exceeded, the parser throws a ``StreamError``.
    public init(
        orBodyOf response: HTTPURLResponse? = nil,
        mediaTypes: [String] = ["text/event-stream"], longestLine: Int = Self.longestLine
    ) {
        lines = LineParser(
            EventReader(longestData: longestLine, orBodyOf: response, mediaTypes: mediaTypes),
            longestLine: longestLine)
    }

    /// The delay before a client reconnects, from the last valid `retry` field, or `nil` if there
    /// was none.
    public var retry: Duration? { lines.reader.retry }

    /// The ID that a client sends as `Last-Event-ID` when it reconnects, or empty if there is none.
    /// To resume after an earlier event, a client sets its ID here before it connects.
    ///
    /// An event without data can also change it.
    var lastEventID: String {
        get { lines.reader.lastEventID }
        set { lines.reader.lastEventID = newValue }
    }

    /// Whether the single JSON value of ``init(orBodyOf:mediaTypes:longestLine:)`` has been parsed.
    public var isComplete: Bool { lines.reader.isComplete }

    /// The media types that the parser was created with, by default `text/event-stream`.
    public var mediaTypes: [String] { lines.mediaTypes }

    /// Appends the events that the next piece of the stream completes.
    ///
    /// - Throws: ``StreamError`` if a line or an event's data is too long, or the body is
    ///   compressed.
    public mutating func parse(_ bytes: Data, into events: inout [ServerSentEvent]) throws {
        try lines.parse(bytes, into: &events)
    }

    /// Appends the JSON value of ``init(orBodyOf:mediaTypes:longestLine:)``, if the body is a
    /// single value. Otherwise, appends nothing, because only an empty line completes an event.
    ///
    /// - Throws: ``StreamError`` if the last line or the JSON value is too long, or if the body is
    ///   not an event stream, because it is not empty but has no event, field or comment.
    public mutating func finish(into events: inout [ServerSentEvent]) throws {
        try lines.finish(into: &events)
    }
}
