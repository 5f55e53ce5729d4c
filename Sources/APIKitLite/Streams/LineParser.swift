import Foundation

/// The code that gets the lines of a stream and makes elements of them.
protocol LineReader: Sendable {
    associatedtype Element

    /// Reads a line.
    ///
    /// - Parameter line: The line without its end. The bytes are valid during the call only.
    /// - Returns: The element that the line completes, or `nil` if it completes none.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws -> Element?

    /// Reads the last line, which has no line end. It may be empty.
    mutating func finish(_ line: UnsafeBufferPointer<UInt8>) throws -> Element?

    /// Whether the last element has been read.
    var isComplete: Bool { get }
}

extension LineReader {
    var isComplete: Bool { false }
}

/// The part that all parsers of lines have in common: it cuts the stream into lines, limits their
/// length, and keeps an error until the elements before it are returned.
///
/// Each byte is searched once for each line end and copied at most once, however the stream is cut.
/// A line that is whole in one piece is not copied.
struct LineParser<Reader: LineReader>: Sendable {
    private(set) var reader: Reader
    private let longestLine: Int
    /// Whether a line ends with CR or CR LF, too, and not only with LF.
    private let endsAtReturns: Bool
    /// The beginning of a line whose end has not arrived.
    private var rest: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last piece ended with CR, so that LF at the start of the next one is part of the
    /// same line end.
    private var skipsLineFeed = false
    private var failure: (any Error)?

    init(_ reader: Reader, longestLine: Int, endsAtReturns: Bool = true) {
        self.reader = reader
        self.longestLine = longestLine
        self.endsAtReturns = endsAtReturns
    }

    mutating func parse(_ bytes: Data) throws -> [Reader.Element] {
        try collect { (parser, elements) in
            try bytes.withUnsafeBytes { bytes in
                try parser.read(bytes.bindMemory(to: UInt8.self), into: &elements)
            }
        }
    }

    mutating func finish() throws -> [Reader.Element] {
        try collect { (parser, elements) in
            let line = parser.rest
            parser.rest = []
            try line.withUnsafeBufferPointer { line in
                let element = try parser.reader.finish(parser.withoutByteOrderMark(line))
                if let element { elements.append(element) }
            }
        }
    }

    /// Returns the elements of a call. If it throws after some elements, the error is kept for the
    /// next call.
    private mutating func collect(
        _ read: (inout Self, inout [Reader.Element]) throws -> Void
    ) throws -> [Reader.Element] {
        if let failure { throw failure }
        var elements: [Reader.Element] = []
        if reader.isComplete { return elements }
        do {
            try read(&self, &elements)
        } catch {
            failure = error
            rest = []
            if elements.isEmpty { throw error }
        }
        return elements
    }

    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, into elements: inout [Reader.Element]
    ) throws {
        guard let first = bytes.first else { return }
        var start = skipsLineFeed && first == lineFeed ? 1 : 0
        skipsLineFeed = false
        // The next LF and the next CR. Both are kept, so that no byte is searched twice.
        var feed = -1
        var carriageReturn = endsAtReturns ? -1 : bytes.count
        while true {
            if feed < start { feed = bytes.firstIndex(of: lineFeed, from: start) }
            if carriageReturn < start {
                carriageReturn = bytes.firstIndex(of: UInt8(ascii: "\r"), from: start)
            }
            let end = min(feed, carriageReturn)
            if end == bytes.count { break }
            if let element = try readLine(UnsafeBufferPointer(rebasing: bytes[start..<end])) {
                elements.append(element)
            }
            if reader.isComplete { return }
            start = end + 1
            if end == carriageReturn {
                if start == bytes.count {
                    skipsLineFeed = true
                } else if feed == start {
                    start += 1
                }
            }
        }
        try keep(UnsafeBufferPointer(rebasing: bytes[start...]))
    }

    /// Reads a line whose end has arrived.
    private mutating func readLine(_ end: UnsafeBufferPointer<UInt8>) throws -> Reader.Element? {
        if rest.isEmpty {
            try check(end)
            defer { isFirstLine = false }
            return try reader.read(withoutByteOrderMark(end))
        }
        try keep(end)
        var line: [UInt8] = []
        swap(&line, &rest)
        defer {
            isFirstLine = false
            line.removeAll(keepingCapacity: true)
            rest = line
        }
        return try line.withUnsafeBufferPointer { try reader.read(withoutByteOrderMark($0)) }
    }

    /// Keeps the beginning of a line.
    private mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard rest.count + bytes.count <= longestLine else {
            throw StreamError.lineTooLong(limit: longestLine)
        }
        rest.append(contentsOf: bytes)
        try rest.withUnsafeBufferPointer { try check($0) }
    }

    /// Checks the length of a line, and that a stream does not begin with compressed bytes.
    private func check(_ line: UnsafeBufferPointer<UInt8>) throws {
        guard line.count <= longestLine else {
            throw StreamError.lineTooLong(limit: longestLine)
        }
        if isFirstLine { try StreamError.checkNotCompressed(line) }
    }

    /// Returns the line, without the byte order mark that the stream may begin with.
    private func withoutByteOrderMark(
        _ line: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        guard isFirstLine, line.starts(with: [0xef, 0xbb, 0xbf]) else { return line }
        return UnsafeBufferPointer(rebasing: line[3...])
    }
}

private let lineFeed = UInt8(ascii: "\n")

extension UnsafeBufferPointer<UInt8> {
    /// Returns the first index of a byte from an index on, or `count` if there is none.
    func firstIndex(of byte: UInt8, from start: Int) -> Int {
        guard start < count, let base = baseAddress,
            let found = memchr(base + start, Int32(byte), count - start)
        else { return count }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
