import Foundation

extension Data {
    /// Returns the index of each nonoverlapping occurrence of a byte sequence. Unlike a loop with
    /// `range(of:in:)`, takes time linear in the data's size, even if the sequence occurs often.
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

/// Returns the FNV-1a hash. Unlike the hash of a `Hasher`, this hash is the same in every process.
func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}

extension Collection<UInt8> {
    /// Whether the bytes are one or more ASCII digits. `Int(_:)` also accepts a sign.
    var areDigits: Bool { !isEmpty && allSatisfy { 0x30...0x39 ~= $0 } }
}

/// Returns the number that ASCII digits stand for, or nil for other text or too large a number.
package func byteNumber(_ text: Substring) -> Int64? {
    text.utf8.areDigits ? Int64(text) : nil
}

/// Returns the text of a body, or nil if the body is not UTF-8. Unlike Foundation, keeps a byte
/// order mark.
package func exactText(_ data: Data) -> String? {
    guard let text = String(data: data, encoding: .utf8) else { return nil }
    // Foundation drops a byte order mark.
    return text.utf8.count == data.count ? text : String(decoding: data, as: UTF8.self)
}

/// Returns the text of a body, or nil if the body is not UTF-8 or contains a NUL.
func plainText(_ body: Data) -> String? {
    body.withUnsafeBytes { $0.contains(0) } ? nil : exactText(body)
}

extension Data {
    /// Returns at most the first `limit` bytes. UTF-8 text is cut between two Unicode scalars.
    package func beginning(_ limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        for _ in 0..<3 where self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}

/// Returns the name of the compression of a body that is not text. The compression is recognized by
/// the first bytes or, for a format without a magic number, by the `Content-Encoding`. Returns nil
/// if no compression is recognized.
func compression(of body: Data, _ contentEncoding: String? = nil) -> String? {
    let start = body.beginning(1_000)
    guard start.contains(0) || exactText(start) == nil else { return nil }
    // See RFC 1952, section 2.3.1, RFC 8878, section 3.1.1, and RFC 1950, section 2.2.
    if start.starts(with: [0x1F, 0x8B]) { return "gzip" }
    if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstd" }
    if start.first == 0x78, let flags = start.dropFirst().first, (0x7800 + Int(flags)) % 31 == 0 {
        return "zlib"
    }
    return ["br", "deflate", "compress"].first { $0 == contentEncoding?.lowercased() }
}
