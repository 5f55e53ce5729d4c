import Foundation

extension Data {
    /// Returns the index of each occurrence of some bytes. The time grows linearly with the size, even
    /// if they occur often; that of Foundation's `range(of:in:)` does not.
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
