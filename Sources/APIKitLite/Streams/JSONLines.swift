import Foundation

/// The parser of a stream that has one JSON value on each line (JSON Lines, NDJSON).
///
/// ```swift
/// var parser = JSONLines(Delta.self)
/// try parser.parse(Data("{\"text\": \"a\"}\n{\"te".utf8))  // [Delta(text: "a")]
/// ```
///
/// Lines end with LF or CR LF. Blank lines are ignored, and so is one byte order mark at the start.
/// The last line needs no line end.
public struct JSONLines<Value: Decodable>: StreamParser, Sendable {
    private var lines: LineParser<JSONLineReader<Value>>

    /// Creates a parser that has parsed nothing yet.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of each line.
    ///   - longestLine: The number of bytes that a line may have. Beyond it, the parser throws a
    ///     ``StreamError``.
    public init(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        longestLine: Int = ServerSentEvents.longestLine
    ) {
        lines = LineParser(
            JSONLineReader(elements: JSONElementDecoder(decoder)), longestLine: longestLine)
    }

    /// The types of JSON Lines under all their names, and the types that servers send instead:
    /// JSON, plain text and unknown bytes.
    public var mediaTypes: [String] { lines.mediaTypes }

    /// Appends the values of the lines that are complete with a piece of the stream.
    ///
    /// - Throws: ``StreamError`` if a line cannot be decoded or is too long, or if the body is
    ///   compressed.
    public mutating func parse(_ bytes: Data, into values: inout [Value]) throws {
        try lines.parse(bytes, into: &values)
    }

    /// Appends the value of the last line, if it has no line end.
    ///
    /// - Throws: ``StreamError`` if the line cannot be decoded, for example because the stream was
    ///   cut.
    public mutating func finish(into values: inout [Value]) throws {
        try lines.finish(into: &values)
    }
}

private struct JSONLineReader<Value: Decodable>: LineReader {
    var elements: JSONElementDecoder<Value>

    var mediaTypes: [String] {
        StreamMediaTypes.jsonLines + ["application/json", "text/plain", "application/octet-stream"]
    }

    var lineEnds: String { "\n" }

    mutating func read(_ line: ArraySlice<UInt8>) throws -> Value? {
        let isBlank = line.allSatisfy { [0x20, 0x09, 0x0d].contains($0) }
        return isBlank ? nil : try elements.decode(Data(line))
    }

    mutating func finish(_ line: ArraySlice<UInt8>) throws -> Value? { try read(line) }
}

/// A decoder of the elements of one stream, which counts them.
struct JSONElementDecoder<Value: Decodable>: Sendable {
    private let decoder: JSONDecoder
    private(set) var count = 0

    init(_ decoder: JSONDecoder) {
        self.decoder = decoder
    }

    mutating func decode(_ text: Data) throws(StreamError) -> Value {
        do {
            let value = try decoder.decode(Value.self, from: text)
            count += 1
            return value
        } catch {
            throw .unreadableElement(
                number: count + 1, text: String(decoding: text, as: UTF8.self), underlying: error)
        }
    }
}
