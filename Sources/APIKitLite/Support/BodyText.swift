import Foundation

/// Returns the text of a UTF-8 body, or nil if it is not UTF-8. Unlike Foundation, keeps a byte
/// order mark.
package func exactText(_ bytes: some Collection<UInt8>) -> String? {
    let data = Data(bytes)
    guard let text = String(data: data, encoding: .utf8) else { return nil }
    // Foundation drops a byte order mark.
    return text.utf8.count == data.count ? text : String(decoding: data, as: UTF8.self)
}

/// Returns the text of a UTF-8 body, or nil if it is not text or contains a NUL.
func plainText(_ body: Data) -> String? {
    body.withUnsafeBytes { $0.contains(0) } ? nil : exactText(body)
}

extension Data {
    /// Returns up to `limit` bytes, cut between two UTF-8 characters.
    package func beginning(_ limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        for _ in 0..<3 where self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}

/// Returns the name of a non-text body's compression, by its first bytes, or by its
/// `Content-Encoding` for a format without a magic number. Returns nil if no compression is
/// recognized.
package func compression(of body: Data, _ contentEncoding: String? = nil) -> String? {
    let start = body.beginning(1_000)
    guard start.contains(0) || exactText(start) == nil else { return nil }
    // RFC 1952, section 2.3.1; RFC 8878, section 3.1.1; RFC 1950, section 2.2.
    if start.starts(with: [0x1F, 0x8B]) { return "gzip" }
    if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstd" }
    if start.first == 0x78, let flags = start.dropFirst().first, (0x7800 + Int(flags)) % 31 == 0 {
        return "zlib"
    }
    let encoding = contentEncoding?.lowercased()
    return encoding.flatMap { ["br", "deflate", "compress"].contains($0) ? $0 : nil }
}
