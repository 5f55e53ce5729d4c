import Foundation

extension ServerSentEvents {
    /// Returns a parser of events whose data is JSON, as the APIs of language models send them.
    ///
    /// ```swift
    /// ServerSentEvents.json(Delta.self, until: "[DONE]")
    /// ```
    ///
    /// An API that answers one request with events or with one JSON value passes the response:
    ///
    /// ```swift
    /// func makeParser(for response: HTTPURLResponse) -> some StreamParser<Message> {
    ///     ServerSentEvents.json(Message.self, orBodyOf: response)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - terminator: The data of the event that ends the stream. A stream that ends without it was
    ///     cut, and the parser throws a ``StreamError``. If it is `nil`, the stream may
    ///     end after any event.
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
    ) -> JSONEvents<Value> {
        let type = mediaType(response?.value(forHTTPHeaderField: "Content-Type")) ?? ""
        return JSONEvents(
            until: terminator, isOneValue: type == "application/json" || type.hasSuffix("+json"),
            decoder: decoder, longestLine: longestLine)
    }
}

/// The parser of a `text/event-stream` whose events have JSON as their data.
///
/// ``ServerSentEvents/json(_:until:orBodyOf:decoder:longestLine:)`` returns one. Its elements are the
/// decoded data of all events, whatever their types. An event of the type `error` ends the elements
/// with a ``StreamError``.
public struct JSONEvents<Value: Decodable>: StreamParser, Sendable {
    private var lines: LineParser<JSONEventReader<Value>>

    fileprivate init(
        until terminator: String?, isOneValue: Bool, decoder: JSONDecoder, longestLine: Int
    ) {
        lines = LineParser(
            JSONEventReader(
                isOneValue: isOneValue, terminator: terminator,
                events: EventReader(longestData: longestLine),
                elements: JSONElementDecoder(decoder)),
            longestLine: longestLine, lineEnds: isOneValue ? "" : "\r\n")
    }

    /// Whether the terminator has arrived.
    public var isComplete: Bool { lines.reader.isComplete }

    /// `text/event-stream`. If the body is one JSON value, any type.
    public var mediaTypes: [String] {
        lines.reader.isOneValue ? [] : [StreamMediaTypes.events]
    }

    /// Parses the next piece of the stream. Bytes after the terminator are ignored.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: The values of the events that are complete with this piece, in order.
    /// - Throws: ``StreamError`` if the data of an event cannot be decoded, for an event of the type
    ///   `error`, if a line or the data of an event is too long, or if the body is compressed.
    public mutating func parse(_ bytes: Data) throws -> [Value] { try lines.parse(bytes) }

    /// Checks that the terminator has arrived, if there is one.
    ///
    /// - Returns: The value of a body that is one JSON value. Otherwise, no values.
    /// - Throws: ``StreamError`` if the terminator is missing; or the error that
    ///   ``parse(_:)`` has not thrown yet.
    public mutating func finish() throws -> [Value] { try lines.finish() }
}

/// The reader of the lines of events whose data is JSON, or of a body that is one JSON value.
private struct JSONEventReader<Value: Decodable>: LineReader {
    let isOneValue: Bool
    let terminator: String?
    var events: EventReader
    var elements: JSONElementDecoder<Value>
    var isComplete = false

    mutating func read(_ line: ArraySlice<UInt8>) throws -> Value? {
        guard let event = try events.read(line) else { return nil }
        if event.event == "error" { throw StreamError.event(event) }
        if event.data == terminator {
            isComplete = true
            return nil
        }
        return try elements.decode(Data(event.data.utf8))
    }

    mutating func finish(_ line: ArraySlice<UInt8>) throws -> Value? {
        if isOneValue { return try elements.decode(Data(line)) }
        guard let terminator else { return nil }
        throw StreamError.unfinished(terminator: terminator, elementCount: elements.count)
    }
}
