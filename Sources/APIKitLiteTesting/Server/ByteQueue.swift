import Foundation

/// A queue of bytes that wait to be parsed: appended at one end and removed at the other.
///
/// The work is linear, however small the pieces are that arrive: each byte is moved a bounded
/// number of times, and searched for a line end once.
struct ByteQueue {
    private var bytes: [UInt8] = []
    /// The index of the first byte that has not been removed.
    private var start = 0
    /// There is no line feed between `start` and this index.
    private var searched = 0

    /// The number of bytes in the queue.
    var count: Int { bytes.count - start }
    /// The next byte; `nil` if the queue is empty.
    var first: UInt8? { start < bytes.count ? bytes[start] : nil }

    /// Adds bytes at the end.
    mutating func append(_ new: UnsafeRawBufferPointer) {
        // Frees the removed bytes only when they are more than half: linear over all appends.
        if start > bytes.count / 2 || start == bytes.count {
            bytes.removeFirst(start)
            searched = max(0, searched - start)
            start = 0
        }
        bytes.append(contentsOf: new)
    }

    /// Removes the next line, including its line feed.
    ///
    /// - Returns: The line; `nil` if its end has not arrived.
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
    /// - Returns: The number of bytes that were moved.
    mutating func move(upTo limit: Int, to data: inout Data) -> Int {
        let moved = min(limit, count)
        bytes.withUnsafeBytes { data.append(contentsOf: $0[start..<start + moved]) }
        start += moved
        return moved
    }
}
