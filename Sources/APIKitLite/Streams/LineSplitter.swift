import Foundation

/// Splits a stream into lines, and limits their length.
///
/// Splitting takes time linear in the stream's size, however the stream is divided into pieces.
struct LineSplitter: Sendable {
    private let endsAtReturn: Bool
    private let longestLine: Int
    /// The returned lines that have not been removed yet, followed by the remaining bytes.
    private var bytes: [UInt8] = []
    /// Where the next line begins, and where the search for its end continues.
    private var (start, searched) = (0, 0)
    private var isFirstLine = true
    /// Whether the previous line ended with CR, so that an LF after the CR is part of the same line
    /// ending.
    private var endedWithReturn = false

    /// Creates a splitter. A line ends with LF or, if `endsAtReturn` is true, with LF, CR or CR LF.
    init(atReturn endsAtReturn: Bool, longestLine: Int) {
        (self.endsAtReturn, self.longestLine) = (endsAtReturn, longestLine)
    }

    mutating func append(_ piece: Data) throws {
        bytes.append(contentsOf: piece)
        // The magic number of gzip (RFC 1952, section 2.3.1), which no text begins with.
        if isFirstLine, bytes.starts(with: [0x1f, 0x8b]) { throw StreamError.compressed }
    }

    /// Returns the next complete line, or nil if more bytes are needed.
    mutating func next() throws -> ArraySlice<UInt8>? {
        while let end = endOfLine() {
            let line = bytes[start..<end]
            let isRestOfEnd =
                endedWithReturn && line.isEmpty && bytes[end] == UInt8(ascii: "\n")
            endedWithReturn = bytes[end] == UInt8(ascii: "\r")
            (start, searched) = (end + 1, end + 1)
            if !isRestOfEnd { return try checked(line) }
        }
        bytes.removeFirst(start)
        (start, searched) = (0, bytes.count)
        try checkLength(bytes.count)
        return nil
    }

    /// Returns where the next line ends, or nil if its end has not been appended. The search is a
    /// loop, because `firstIndex(where:)` would take seconds for 16 MiB in a debug build.
    private func endOfLine() -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var index = searched
            while index < bytes.count {
                let byte = bytes[index]
                if byte == 0x0a || endsAtReturn && byte == 0x0d { return index }
                index += 1
            }
            return nil
        }
    }

    /// Returns the last line, which has no line ending. The line may be empty.
    mutating func last() throws -> ArraySlice<UInt8> { try checked(bytes[...]) }

    /// Returns the line. In the first line of the stream, leaves out a byte order mark.
    private mutating func checked(_ line: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        try checkLength(line.count)
        defer { isFirstLine = false }
        return isFirstLine && line.starts(with: [0xef, 0xbb, 0xbf]) ? line.dropFirst(3) : line
    }

    func checkLength(_ count: Int) throws {
        if count > longestLine { throw StreamError.lineTooLong(limit: longestLine) }
    }
}
