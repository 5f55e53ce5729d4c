import Foundation

extension Data {
    /// Returns the index of each occurrence of a byte sequence. Unlike with Foundation's
    /// `range(of:in:)`, the time is linear in the data's size, even if the sequence occurs often.
    package func places(of pattern: Data) -> [Int] {
        withUnsafeBytes { bytes in
            var (places, start) = ([Int](), 0)
            while start <= bytes.count - pattern.count,
                let found = memchr(
                    bytes.baseAddress! + start, Int32(pattern.first!), bytes.count - start)
            {
                start = UnsafeRawPointer(found) - bytes.baseAddress!
                let isPlace = bytes[start...].starts(with: pattern)
                if isPlace { places.append(startIndex + start) }
                start += isPlace ? pattern.count : 1
            }
            return places
        }
    }
}

/// Returns the FNV-1a hash, which unlike a `Hasher`'s is the same in every process.
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}

extension Collection<UInt8> {
    /// Whether the bytes are one or more ASCII digits. `Int(_:)` also accepts a sign.
    var areDigits: Bool { !isEmpty && allSatisfy { 0x30...0x39 ~= $0 } }
}

/// Returns the number that text of only ASCII digits stands for, or nil for any other text.
package func byteNumber(_ text: some StringProtocol) -> Int64? {
    text.utf8.areDigits ? Int64(text) : nil
}
