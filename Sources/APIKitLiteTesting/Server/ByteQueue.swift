import Foundation

/// Bytes waiting to be parsed: appended at one end, taken from the other.
///
/// Every byte is moved a bounded number of times and searched for a line's end once, however small
/// the pieces are in which it arrives.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0
    /// There is no line feed from `start` up to here.
    private var searched = 0

    var count: Int { bytes.count - start }
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

    mutating func append(_ new: UnsafeRawBufferPointer) {
        // Taken bytes are given back when they are the greater part: linear over all appends.
        if start > bytes.count / 2 || start == bytes.count {
            bytes.removeFirst(start)
            searched = max(0, searched - start)
            start = 0
        }
        bytes.append(contentsOf: new)
    }

    /// Takes the next line, its line feed included.
    ///
    /// - Returns: `nil` while the line has no end.
    mutating func takeLine() -> ArraySlice<UInt8>? {
        let from = max(start, searched)
        let end = bytes.withUnsafeBytes { all -> Int? in
            guard from < all.count, let base = all.baseAddress,
                let found = memchr(base + from, 0x0A, all.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
        guard let end else {
            searched = bytes.count
            return nil
        }
        defer { start = end + 1 }
        return bytes[start...end]
    }

    /// Moves up to `limit` bytes to the end of `data`.
    ///
    /// - Returns: How many.
    mutating func move(upTo limit: Int, to data: inout Data) -> Int {
        let moved = min(limit, count)
        bytes.withUnsafeBytes { data.append(contentsOf: $0[start..<start + moved]) }
        start += moved
        return moved
    }
}
