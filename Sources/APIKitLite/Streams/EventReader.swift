import Foundation

/// The reader of the lines of an event stream (HTML Standard, section 9.2.6).
///
/// It decodes each value by itself. The result is the same as if the whole stream was decoded first:
/// a line end is ASCII, so it ends an invalid character, too.
struct EventReader: LineReader {
    /// The number of bytes that the data of one event may have.
    let longestData: Int

    private(set) var retry: Duration?
    private(set) var lastEventID: String

    private var type = ""
    /// The data of the event so far, or `nil` if it has no `data` field yet.
    private var data: String?
    /// The ID that becomes the last event ID when the event ends.
    private var id: String

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - longestData: The number of bytes that the data of one event may have.
    ///   - lastEventID: The ID of the last event of an earlier connection.
    init(longestData: Int, lastEventID: String = "") {
        self.longestData = longestData
        self.lastEventID = lastEventID
        id = lastEventID
    }

    mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws -> ServerSentEvent? {
        guard let first = line.first else { return endEvent() }
        // A comment.
        if first == UInt8(ascii: ":") { return nil }
        let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0)
        var start = min(colon + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        try setField(
            UnsafeBufferPointer(rebasing: line[..<colon]),
            to: UnsafeBufferPointer(rebasing: line[start...]))
        return nil
    }

    /// Ignores the last line, which no line end completes, and the event before it.
    mutating func finish(_ line: UnsafeBufferPointer<UInt8>) -> ServerSentEvent? { nil }

    private mutating func setField(
        _ name: UnsafeBufferPointer<UInt8>, to value: UnsafeBufferPointer<UInt8>
    ) throws {
        if name.isEqual(to: "data") {
            guard (data?.utf8.count ?? -1) + 1 + value.count <= longestData else {
                throw StreamError.eventTooLong(limit: longestData)
            }
            let line = String(decoding: value, as: UTF8.self)
            if data == nil {
                data = line
            } else {
                data?.append("\n")
                data?.append(line)
            }
        } else if name.isEqual(to: "event") {
            type = String(decoding: value, as: UTF8.self)
        } else if name.isEqual(to: "id") {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.isEqual(to: "retry") {
            let isNumber = !value.isEmpty && value.allSatisfy { 0x30...0x39 ~= $0 }
            // Only a number that is too large for `Int64` is not converted.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            if isNumber { retry = .milliseconds(milliseconds) }
        }
    }

    /// Returns the event that an empty line ends, or `nil` if it has no data.
    private mutating func endEvent() -> ServerSentEvent? {
        lastEventID = id
        defer {
            type = ""
            data = nil
        }
        return data.map { data in
            ServerSentEvent(event: type.isEmpty ? "message" : type, data: data, id: id)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are those of a text.
    fileprivate func isEqual(to text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && (isEmpty || memcmp(baseAddress!, text.utf8Start, count) == 0)
    }
}
