import Foundation

/// A parser for a `text/event-stream`, as defined in the HTML Standard, section 9.2.6.
///
/// ```swift
/// var parser = ServerSentEvents()
/// let events = try parser.parse(Data("id: 7\ndata: hello\n\n".utf8))
/// // [ServerSentEvent(data: "hello", id: "7")]
/// ```
///
/// Lines end with LF, CR or CR LF. Comments, unknown fields, and one byte order mark at the start
/// are ignored. Bytes that are not UTF-8 become U+FFFD. An event without a `data` field is not
/// returned, nor is an event cut off by the end of the body. An `id` field with U+0000 is ignored.
///
/// In an event stream, lines that begin like a JSON object, or like an array of objects, are not
/// ignored: for these lines, the parser throws ``StreamError/unexpectedJSON(_:)``.
///
/// The parser keeps at most one line and the data of one event, each at most `longestLine` bytes.
/// `json(_:decoder:)` decodes the data, and `until(_:)` ends the stream at its last event.
public struct ServerSentEvents: StreamParser, Sendable {
    /// The default maximum line length: 16 MiB, enough for an event that contains an image.
    @usableFromInline static let longestLine = 16 * 1_048_576

    /// The delay before a client reconnects, from the last valid `retry` field, or `nil` if there
    /// was no such field.
    public private(set) var retry: Duration?

    /// The ID that a client sends as `Last-Event-ID` when it reconnects, or empty if there is no
    /// ID. To resume after an earlier event, a client sets that event's ID here before it connects.
    ///
    /// An event without data can also change this ID.
    var lastEventID = "" { didSet { id = lastEventID } }

    /// Whether the body is a single JSON value and has been parsed: see
    /// ``init(orBodyOf:mediaTypes:longestLine:)``.
    public private(set) var isComplete = false

    /// The media types that the parser was created with, by default `text/event-stream`. Empty if
    /// the parser was created for a JSON response.
    public let mediaTypes: [String]

    private var lines: LineSplitter
    /// Whether a JSON body is treated as one value instead of events.
    private let mayBeOneValue: Bool
    /// The kind of the body, judged by its media type or first character. Nil while the kind is
    /// unknown.
    private var form: String?
    /// Whether the body is certainly an event stream: it has an event, or it is plain text with a
    /// field or a comment.
    private var isEventStream = false
    /// Whether `data` is JSON that is not part of an event.
    private var isBareJSON = false

    private var type = ""
    /// The event's data so far, or `nil` if it has no `data` field yet.
    private var data: String?
    /// The ID that becomes the last event ID when the event ends.
    private var id = ""

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - response: The status and the headers, for an API that returns either events or one JSON
    ///     value. The body is one value if its content type is JSON, or if it begins with `{` or
    ///     `[` and its content type is not `text/event-stream`. The value is the data of one event
    ///     without an ID, and completes the stream. An empty body contains no event.
    ///   - mediaTypes: The media types to accept for events, in lower case, or empty for any type.
    ///   - longestLine: The maximum size in bytes of a line, and of an event's data. The default is
    ///     16 MiB. If this size is exceeded, the parser throws a ``StreamError``.
    public init(
        orBodyOf response: HTTPURLResponse? = nil,
        mediaTypes: [String] = ["text/event-stream"], longestLine: Int = Self.longestLine
    ) {
        lines = LineSplitter(atReturn: true, longestLine: longestLine)
        let type = mediaType(response?.value(forHTTPHeaderField: "Content-Type")) ?? ""
        form = type == "application/json" || type.hasSuffix("+json") ? "JSON" : nil
        mayBeOneValue = response != nil && type != eventStreamType
        self.mediaTypes = form == nil ? mediaTypes : []
    }

    /// Appends the events that the next piece of the stream completes.
    ///
    /// - Throws: ``StreamError`` if a line or an event's data is too long, the body is compressed
    ///   with gzip, or the body contains JSON that is not part of an event.
    public mutating func parse(_ bytes: Data, into events: inout [ServerSentEvent]) throws {
        try lines.append(bytes)
        while let line = try lines.next() { try read(line, into: &events) }
    }

    /// If the body is a single JSON value (see ``init(orBodyOf:mediaTypes:longestLine:)``), appends
    /// the value. Otherwise, appends nothing, because only an empty line completes an event.
    ///
    /// - Throws: ``StreamError`` if the JSON value is too long, if the last lines are JSON that is
    ///   not part of an event, or if the body is not blank, but neither an event stream nor a
    ///   single JSON value.
    public mutating func finish(into events: inout [ServerSentEvent]) throws {
        let line = try lines.last()
        look(at: line)
        if isOneValue {
            try append(line)
            isComplete = data?.utf8.isEmptyBody == false
            if isComplete { endEvent(into: &events) }
        } else if isBareJSON || beginsBareJSON(line) {
            try appendBareJSON(line, isLast: true)
        } else if !isEventStream, let form {
            throw StreamError.unexpectedContentType(found: form, expected: [eventStreamType])
        }
    }
}

/// One event of a `text/event-stream` (HTML Standard, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type, or `message` if the server does not specify one.
    public var event: String

    /// The data. Its lines are separated by LF.
    public var data: String

    /// The event's ID: the value of the last `id` field in or before the event, or empty if there
    /// was no such field.
    public var id: String

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// The event as a server sends it, with one field per line, followed by an empty line.
    ///
    /// The text has no field for the type `message`, for an empty type, or for an empty ID. Every
    /// line of the data has a separate field. A line break in a type or an ID, which this format
    /// does not allow, becomes a space.
    public var text: String {
        var text = ""
        if event != "message", !event.isEmpty { text += "event: \(event.onOneLine)\n" }
        if !id.isEmpty { text += "id: \(id.onOneLine)\n" }
        for line in data.linesOfEvent { text += "data: \(line)\n" }
        return text + "\n"
    }
}

extension String {
    /// The lines of the text, which end as in an event stream, with LF, CR or CR LF.
    fileprivate var linesOfEvent: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }

    fileprivate var onOneLine: String { linesOfEvent.joined(separator: " ") }
}

// Decoding each field's value separately is safe, because CR and LF never occur inside a multibyte
// UTF-8 character.
extension ServerSentEvents {
    private var isOneValue: Bool { mayBeOneValue && form == "JSON" }

    /// Reads a line, and appends the event that the line completes, if any.
    private mutating func read(
        _ line: ArraySlice<UInt8>, into events: inout [ServerSentEvent]
    ) throws {
        look(at: line)
        if isOneValue {
            try append(line)
        } else if isBareJSON || beginsBareJSON(line) {
            try appendBareJSON(line, isLast: line.isEmpty && isEventStream)
        } else if line.isEmpty {
            endEvent(into: &events)
        } else {
            try setField(line)
        }
    }

    /// Records what a line reveals about the body. An HTML page or JSON may have lines that look
    /// like fields, so only an event shows that such a body is an event stream.
    private mutating func look(at line: ArraySlice<UInt8>) {
        guard !isEventStream, let first = line.afterWhitespace.first else { return }
        let isJSON = "{[".utf8.contains(first)
        form = form ?? (isJSON ? "JSON" : first == UInt8(ascii: "<") ? "HTML or XML" : "text")
        // A word followed by a colon counts as an unknown field. Other text, such as a proxy's
        // message, is not a field. The last line may end within a field's name. A field's name in
        // the wrong case has no effect, but still suggests an event stream.
        let prefix = line.prefix { $0 != UInt8(ascii: ":") }
        let name = String(decoding: prefix, as: UTF8.self).lowercased()
        let isField = ["data", "event", "id", "retry"].contains { $0.hasPrefix(name) }
        let isWord = prefix.allSatisfy { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 }
        isEventStream = form == "text" && (isField || isWord && prefix.endIndex < line.endIndex)
    }

    /// Returns whether a line begins like a JSON object, or like an array of JSON objects. Returns
    /// false in an HTML page, where many lines of a script begin like an object.
    private func beginsBareJSON(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.afterWhitespace.first, isEventStream || form != "HTML or XML"
        else { return false }
        let object = line.drop { " \t[".utf8.contains($0) }
        if object.first != UInt8(ascii: "{") { return object.isEmpty && first == UInt8(ascii: "[") }
        return object.dropFirst().afterWhitespace.first.map("\"}".utf8.contains) ?? true
    }

    /// Appends a line of JSON that is not part of an event. Throws an error if the JSON is complete
    /// or `isLast` is true.
    private mutating func appendBareJSON(_ line: ArraySlice<UInt8>, isLast: Bool) throws {
        // A value on several lines usually ends with a line that begins with a closing bracket.
        let mayEnd = !isBareJSON || line.afterWhitespace.first.map("}]".utf8.contains) ?? false
        if !isBareJSON { (isBareJSON, data) = (true, nil) }
        try append(line)
        let text = data ?? ""
        guard isLast || mayEnd && (try? JSONText.read(Data(text.utf8))) != nil else { return }
        throw StreamError.unexpectedJSON(text.trimmingCharacters(in: .newlines))
    }

    private mutating func append(_ line: ArraySlice<UInt8>) throws {
        // The data of an event has the same limit as a line.
        try lines.checkLength((data?.utf8.count ?? -1) + 1 + line.count)
        data?.append("\n")
        data = data ?? ""
        data?.append(String(decoding: line, as: UTF8.self))
    }

    private mutating func setField(_ line: ArraySlice<UInt8>) throws {
        // A comment is a line with an empty field name.
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data": try append(value)
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0):
            id = String(decoding: value, as: UTF8.self)
        case "retry" where value.areDigits:
            // The conversion of digits fails only if the number is too large for `Int64`.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(milliseconds)
        default: break
        }
    }

    /// Appends the event that ends here, unless the event has no `data` field.
    private mutating func endEvent(into events: inout [ServerSentEvent]) {
        lastEventID = id
        if let data {
            isEventStream = true
            let type = type.isEmpty ? "message" : type
            events.append(ServerSentEvent(event: type, data: data, id: id))
        }
        (type, data) = ("", nil)
    }
}
