import Foundation

/// A type that turns the lines of a stream into elements.
protocol LineReader {
    associatedtype Element

    /// Reads a line, and returns the element that it completes, or `nil` if it completes none.
    mutating func read(_ line: ArraySlice<UInt8>) throws -> Element?

    /// Reads the last line, which has no line ending. It may be empty.
    mutating func finish(_ line: ArraySlice<UInt8>) throws -> Element?

    /// The media types of the stream, or empty for any type.
    var mediaTypes: [String] { get }

    /// The characters that end a line.
    var lineEnds: String { get }
}

/// The common part of all line parsers, which splits the stream into lines, and limits their
/// length.
///
/// Each byte is copied once and searched once, however the stream is divided into pieces.
struct LineParser<Reader: LineReader>: StreamParser {
    var reader: Reader
    private let longestLine: Int
    private let lineEnds: [UInt8]
    /// The bytes that have not been read as a line.
    private var rest: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last line ended with CR, so that an LF after it is part of the same line ending.
    private var endedWithReturn = false

    init(_ reader: Reader, longestLine: Int) {
        self.reader = reader
        self.longestLine = longestLine
        lineEnds = Array(reader.lineEnds.utf8)
    }

    var mediaTypes: [String] { reader.mediaTypes }

    mutating func finish(into elements: inout [Reader.Element]) throws {
        if let element = try reader.finish(line(rest[...])) { elements.append(element) }
    }

    mutating func parse(_ bytes: Data, into elements: inout [Reader.Element]) throws {
        var start = 0
        let searched = rest.count
        rest.append(contentsOf: bytes)
        // The magic number of gzip (RFC 1952, section 2.3.1), which no text begins with.
        if isFirstLine, rest.starts(with: [0x1f, 0x8b]) { throw StreamError.compressed }
        while let end = rest[max(start, searched)...].firstIndex(where: lineEnds.contains) {
            let isRestOfEnd = endedWithReturn && end == start && rest[end] == UInt8(ascii: "\n")
            endedWithReturn = rest[end] == UInt8(ascii: "\r")
            if !isRestOfEnd, let element = try reader.read(line(rest[start..<end])) {
                elements.append(element)
            }
            start = end + 1
        }
        rest.removeFirst(start)
        try checkLength(rest.count)
    }

    /// Returns the line, without a byte order mark at the start of the stream.
    private mutating func line(_ line: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        try checkLength(line.count)
        defer { isFirstLine = false }
        return isFirstLine && line.starts(with: [0xef, 0xbb, 0xbf]) ? line.dropFirst(3) : line
    }

    private func checkLength(_ count: Int) throws {
        if count > longestLine { throw StreamError.lineTooLong(limit: longestLine) }
    }
}

extension LineParser: Sendable where Reader: Sendable {}
