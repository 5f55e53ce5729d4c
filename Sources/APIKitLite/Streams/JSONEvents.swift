import Foundation

extension ServerSentEvents {
    /// Returns a parser of events whose data is JSON, as the APIs of language models send them.
    ///
    /// ```swift
    /// ServerSentEvents.json(Delta.self, until: "[DONE]")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - terminator: The data of the event that ends the stream. A stream that ends without it was
    ///     cut, and the parser throws an ``StreamError``. If it is `nil`, the stream may
    ///     end after any event.
    ///   - decoder: The decoder of the data of each event.
    ///   - longestLine: The number of bytes that a line may have, and the number of bytes that the
    ///     data of an event may have. Beyond it, the parser throws a ``StreamError``.
    /// - Returns: A parser that has parsed nothing yet.
    public static func json<Value: Decodable>(
        _ type: Value.Type = Value.self, until terminator: String? = nil,
        decoder: JSONDecoder = JSONDecoder(), longestLine: Int = Self.longestLine
    ) -> JSONEvents<Value> {
        JSONEvents(until: terminator, decoder: decoder, longestLine: longestLine)
    }
}

/// The parser of a `text/event-stream` whose events have JSON as their data.
///
/// ``ServerSentEvents/json(_:until:decoder:longestLine:)`` returns one. Its elements are the decoded
/// data of all events, whatever their types. An event of the type `error` ends the elements with a
/// ``StreamError``.
public struct JSONEvents<Value: Decodable>: StreamParser, Sendable {
    private var lines: LineParser<JSONEventReader<Value>>

    fileprivate init(until terminator: String?, decoder: JSONDecoder, longestLine: Int) {
        lines = LineParser(
            JSONEventReader(
                terminator: terminator, events: EventReader(longestData: longestLine),
                elements: JSONElementDecoder(decoder)),
            longestLine: longestLine)
    }

    /// The time to wait before a client connects again, from the last valid `retry` field. `nil` if
    /// there was none.
    public var retry: Duration? { lines.reader.events.retry }

    /// The ID that a client sends as `Last-Event-ID` when it connects again. Empty if there is none.
    public var lastEventID: String { lines.reader.events.lastEventID }

    /// Whether the terminator has arrived.
    public var isComplete: Bool { lines.reader.isComplete }

    /// `text/event-stream`.
    public var mediaTypes: [String] { StreamMediaTypes.events }

    /// Parses the next piece of the stream. Bytes after the terminator are ignored.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: The values of the events that are complete with this piece, in order.
    /// - Throws: ``StreamElementError`` if the data of an event cannot be decoded;
    ///   ``StreamError`` for an event of the type `error`; ``StreamError`` if a line or the
    ///   data of an event is too long; ``StreamError`` if the body is compressed.
    public mutating func parse(_ bytes: Data) throws -> [Value] { try lines.parse(bytes) }

    /// Checks that the terminator has arrived, if there is one.
    ///
    /// - Returns: No values.
    /// - Throws: ``StreamError`` if the terminator is missing; or the error that
    ///   ``parse(_:)`` has not thrown yet.
    public mutating func finish() throws -> [Value] { try lines.finish() }
}

/// The reader of the lines of events whose data is JSON.
private struct JSONEventReader<Value: Decodable>: LineReader {
    let terminator: String?
    var events: EventReader
    var elements: JSONElementDecoder<Value>
    var isComplete = false

    mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws -> Value? {
        guard let event = try events.read(line) else { return nil }
        if event.event == "error" { throw StreamError.event(event) }
        if event.data == terminator {
            isComplete = true
            return nil
        }
        return try elements.decode(Data(event.data.utf8))
    }

    func finish(_ line: UnsafeBufferPointer<UInt8>) throws -> Value? {
        if let terminator {
            throw StreamError.unfinished(terminator: terminator, elementCount: elements.count)
        }
        return nil
    }
}
