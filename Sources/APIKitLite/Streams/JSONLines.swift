import Foundation

/// A parser for a stream with one JSON value per line (JSON Lines, NDJSON).
///
/// ```swift
/// var parser = JSONLines(Delta.self)
/// try parser.parse(Data("{\"text\": \"a\"}\n{\"te".utf8))  // [Delta(text: "a")]
/// ```
///
/// Lines end with LF or CR LF. Blank lines are ignored, as is one byte order mark at the start. The
/// last line needs no line ending.
public struct JSONLines<Value: Decodable>: StreamParser {
    private var lines: LineSplitter
    private let decoder: JSONDecoder
    /// The media types that the parser was created with.
    public let mediaTypes: [String]

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder for each line.
    ///   - mediaTypes: The media types to accept, in lower case, or empty for any type. By default,
    ///     these are the media types of JSON Lines, and the types that servers send instead: JSON,
    ///     plain text and binary data.
    ///   - longestLine: The maximum size of a line in bytes, by default 16 MiB. For a longer line,
    ///     the parser throws a ``StreamError``.
    public init(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        mediaTypes: [String] = Self.mediaTypes, longestLine: Int = ServerSentEvents.longestLine
    ) {
        lines = LineSplitter(atReturn: false, longestLine: longestLine)
        (self.decoder, self.mediaTypes) = (decoder, mediaTypes)
    }

    @usableFromInline static var mediaTypes: [String] {
        jsonLinesTypes + ["application/json", "text/plain", "application/octet-stream"]
    }

    /// Appends the values of the lines that the next piece of the stream completes.
    ///
    /// - Throws: `DecodingError` if a line cannot be decoded. ``StreamError`` if a line is too
    ///   long, or the body is compressed with gzip.
    public mutating func parse(_ bytes: Data, into values: inout [Value]) throws {
        try lines.append(bytes)
        while let line = try lines.next() { try append(line, to: &values) }
    }

    /// Appends the value of the last line, if it has no line ending.
    ///
    /// - Throws: `DecodingError` if the line cannot be decoded, for example because the body was
    ///   cut off. To detect a body that was cut off between two lines, use
    ///   ``StreamParser/until(_:)``.
    public mutating func finish(into values: inout [Value]) throws {
        try append(lines.last(), to: &values)
    }

    private func append(_ line: ArraySlice<UInt8>, to values: inout [Value]) throws {
        if line.isEmptyBody { return }
        // If `Value` is `Data`, the value is the line itself, without its ending.
        let element = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        values.append(try decoder.decode(Value.self, fromElement: Data(element)))
    }
}

extension JSONLines: Sendable where Value: SendableMetatype {}
