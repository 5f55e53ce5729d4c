import Foundation

extension ServerSentEvents {
    /// Returns a parser of events whose data is JSON, as the APIs of language models send them.
    ///
    /// ```swift
    /// ServerSentEvents.json(Delta.self, until: "[DONE]")
    /// ```
    ///
    /// The elements are the decoded data of all events, whatever their types. An event with empty
    /// data has no element: a server sends it for its ID. An event of the type `error` ends the
    /// elements with a ``StreamError``, and so does data that cannot be decoded.
    ///
    /// An API that answers one request with events or with one JSON value passes the response:
    ///
    /// ```swift
    /// func makeParser(for response: HTTPURLResponse) -> some StreamParser<Message> {
    ///     ServerSentEvents.json(Message.self, orBodyOf: response)
    /// }
    /// ```
    ///
    /// The elements have no IDs. To resume a stream after its last ID, parse it with
    /// ``init(orBodyOf:longestLine:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - terminator: The data of the event that ends the stream. A stream that ends without it
    ///     was cut, and the parser throws a ``StreamError``. If it is `nil`, the stream may end
    ///     after any event.
    ///   - response: The status and the headers. If the content type is JSON, the whole body is one
    ///     value, which is the only element.
    ///   - decoder: The decoder of the data of each event.
    ///   - longestLine: The number of bytes that a line may have, and the number of bytes that the
    ///     data of an event may have. Beyond it, the parser throws a ``StreamError``.
    /// - Returns: A parser that has parsed nothing yet.
    public static func json<Value: Decodable>(
        _ type: Value.Type = Value.self, until terminator: String? = nil,
        orBodyOf response: HTTPURLResponse? = nil, decoder: JSONDecoder = JSONDecoder(),
        longestLine: Int = Self.longestLine
    ) -> some StreamParser<Value> & Sendable {
        LineParser(
            JSONEventReader<Value>(
                mayBeEmpty: response?.statusCode == 202, terminator: terminator,
                events: EventReader(longestData: longestLine, orBodyOf: response),
                elements: JSONElementDecoder(decoder)),
            longestLine: longestLine)
    }
}

/// The reader of the lines of events whose data is JSON, or of a body that is one JSON value.
private struct JSONEventReader<Value: Decodable>: LineReader {
    /// Whether an empty body has no value. A server may name a type for the body that it does not
    /// send.
    let mayBeEmpty: Bool
    let terminator: String?
    var events: EventReader
    var elements: JSONElementDecoder<Value>
    var isComplete = false

    var mediaTypes: [String] { events.mediaTypes }
    var lineEnds: String { events.lineEnds }

    mutating func read(_ line: ArraySlice<UInt8>) throws -> Value? {
        guard let event = try events.read(line) else { return nil }
        if event.event == "error" { throw StreamError.event(event) }
        if event.data == terminator {
            isComplete = true
            return nil
        }
        if event.data.isEmpty { return nil }
        return try elements.decode(Data(event.data.utf8))
    }

    mutating func finish(_ line: ArraySlice<UInt8>) throws -> Value? {
        if events.isOneValue {
            return line.isEmpty && mayBeEmpty ? nil : try elements.decode(Data(line))
        }
        guard let terminator else { return nil }
        // The last line belongs to the event that is dropped.
        if !line.isEmpty { _ = try? events.read(line) }
        throw StreamError.unfinished(
            terminator: terminator, elementCount: elements.count,
            droppedBytes: events.data?.utf8.count ?? 0)
    }
}
