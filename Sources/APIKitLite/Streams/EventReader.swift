import Foundation

/// A reader for the lines of an event stream (HTML Standard, section 9.2.6).
///
/// Decoding each field's value separately is safe: CR and LF never occur inside a UTF-8 sequence.
struct EventReader: LineReader, Sendable {
    /// The maximum size of an event's data, in bytes.
    let longestData: Int
    /// Whether a JSON body is treated as one value instead of events.
    private let mayBeOneValue: Bool
    /// What kind of body this is, judged by its media type or first character. Nil while unknown.
    private var form: String?
    /// Whether an event, or a field or comment in plain text, has shown that the body is an event
    /// stream.
    private var isEventStream = false
    /// Whether the single value has been read entirely.
    private(set) var isComplete = false

    let mediaTypes: [String]
    private(set) var retry: Duration?
    /// The last event's ID, which later events keep until the server sends another one.
    var lastEventID = "" { didSet { id = lastEventID } }

    private var type = ""
    /// The event's data so far, or `nil` if it has no `data` field yet.
    private var data: String?
    /// The ID that becomes the last event ID when the event ends.
    private var id = ""

    /// Creates a reader. The body is one value if its content type is JSON, or if it is not an
    /// event stream's and the body begins like an object or an array.
    init(
        longestData: Int, orBodyOf response: HTTPURLResponse?, mediaTypes: [String]
    ) {
        self.longestData = longestData
        let type = mediaType(response?.value(forHTTPHeaderField: "Content-Type")) ?? ""
        form = type == "application/json" || type.hasSuffix("+json") ? "JSON" : nil
        mayBeOneValue = response != nil && type != StreamMediaTypes.events
        self.mediaTypes = form == nil ? mediaTypes : []
    }

    var lineEnds: String { "\r\n" }

    private var isOneValue: Bool { mayBeOneValue && form == "JSON" }

    mutating func read(_ line: ArraySlice<UInt8>) throws -> ServerSentEvent? {
        look(at: line)
        if !isOneValue, line.isEmpty { return endEvent() }
        try isOneValue ? append(line) : setField(line)
        return nil
    }

    /// Returns the single value. For events, ignores an incomplete last line and its event.
    ///
    /// - Throws: ``StreamError`` if the body is neither empty nor an event stream.
    mutating func finish(_ line: ArraySlice<UInt8>) throws -> ServerSentEvent? {
        look(at: line)
        if isOneValue {
            try append(line)
            isComplete = data?.utf8.isEmptyBody == false
            return isComplete ? endEvent() : nil
        }
        guard !isEventStream, let form else { return nil }
        throw StreamError.unexpectedContentType(found: form, expected: [StreamMediaTypes.events])
    }

    /// Records what a line reveals about the body. An HTML page or JSON may have lines that look
    /// like fields, so only an event shows that such a body is an event stream.
    private mutating func look(at line: ArraySlice<UInt8>) {
        guard !isEventStream, let first = line.afterWhitespace.first else { return }
        let isJSON = "{[".utf8.contains(first)
        form = form ?? (isJSON ? "JSON" : first == UInt8(ascii: "<") ? "HTML or XML" : "text")
        // The last line may end within a name. A name in the wrong case has no effect, but still
        // suggests an event stream.
        let prefix = line.prefix { $0 != UInt8(ascii: ":") }
        let name = String(decoding: prefix, as: UTF8.self).lowercased()
        let isField = ["data", "event", "id", "retry"].contains { $0.hasPrefix(name) }
        isEventStream = form == "text" && isField
    }

    private mutating func append(_ line: ArraySlice<UInt8>) throws {
        guard (data?.utf8.count ?? -1) + 1 + line.count <= longestData else {
            throw StreamError.lineTooLong(limit: longestData)
        }
        data?.append("\n")
        data = data ?? ""
        data?.append(String(decoding: line, as: UTF8.self))
    }

    private mutating func setField(_ line: ArraySlice<UInt8>) throws {
        // A comment's field name is empty.
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
            // Only a number too large for `Int64` is not converted.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(milliseconds)
        default: break
        }
    }

    /// Returns the event completed by an empty line, or `nil` if it has no data.
    private mutating func endEvent() -> ServerSentEvent? {
        lastEventID = id
        isEventStream = isEventStream || data != nil
        defer { (type, data) = ("", nil) }
        return data.map { data in
            ServerSentEvent(event: type.isEmpty ? "message" : type, data: data, id: id)
        }
    }
}
