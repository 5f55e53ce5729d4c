import Foundation

/// The reader of the lines of an event stream (HTML Standard, section 9.2.6).
///
/// Decoding each value separately is safe: CR and LF never occur inside a UTF-8 sequence.
struct EventReader: LineReader, Sendable {
    /// The number of bytes that the data of one event may have.
    let longestData: Int
    /// Whether the body is one JSON value instead of events.
    private let isOneValue: Bool
    /// Whether the one value has been read, so that nothing is missing.
    private(set) var isComplete = false

    let mediaTypes: [String]
    private(set) var retry: Duration?
    private(set) var lastEventID: String

    private var type = ""
    /// The data of the event so far, or `nil` if it has no `data` field yet.
    private var data: String?
    /// The ID that becomes the last event ID when the event ends.
    private var id: String

    /// Creates a reader. If the headers of a response name JSON, its body is one value.
    init(
        longestData: Int, lastEventID: String = "", orBodyOf response: HTTPURLResponse? = nil,
        mediaTypes: [String]
    ) {
        self.longestData = longestData
        let type = mediaType(response?.value(forHTTPHeaderField: "Content-Type")) ?? ""
        isOneValue = type == "application/json" || type.hasSuffix("+json")
        self.mediaTypes = isOneValue ? [] : mediaTypes
        self.lastEventID = lastEventID
        id = lastEventID
    }

    var lineEnds: String { isOneValue ? "" : "\r\n" }

    mutating func read(_ line: ArraySlice<UInt8>) throws -> ServerSentEvent? {
        if line.isEmpty { return endEvent() }
        // The name of a comment is empty.
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try setField(String(decoding: name, as: UTF8.self), to: value)
        return nil
    }

    /// Returns the one value; ignores the last line of events, which no line end completes, and the
    /// event before it.
    mutating func finish(_ line: ArraySlice<UInt8>) -> ServerSentEvent? {
        guard isOneValue, !line.isEmpty else { return nil }
        isComplete = true
        return ServerSentEvent(
            event: "message", data: String(decoding: line, as: UTF8.self), id: lastEventID)
    }

    private mutating func setField(_ name: String, to value: ArraySlice<UInt8>) throws {
        switch name {
        case "data":
            guard (data?.utf8.count ?? -1) + 1 + value.count <= longestData else {
                throw StreamError.lineTooLong(limit: longestData)
            }
            let line = String(decoding: value, as: UTF8.self)
            if data == nil {
                data = line
            } else {
                data?.append("\n" + line)
            }
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0):
            id = String(decoding: value, as: UTF8.self)
        case "retry" where value.areDigits:
            // Only a number that is too large for `Int64` is not converted.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(milliseconds)
        default: break
        }
    }

    /// Returns the event that an empty line ends, or `nil` if it has no data.
    private mutating func endEvent() -> ServerSentEvent? {
        lastEventID = id
        defer { (type, data) = ("", nil) }
        return data.map { data in
            ServerSentEvent(event: type.isEmpty ? "message" : type, data: data, id: id)
        }
    }
}
