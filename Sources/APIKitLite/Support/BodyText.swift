import Foundation

/// Returns the text of a body in UTF-8, or nil if the bytes are not UTF-8. Unlike Foundation, keeps
/// a byte order mark.
package func exactText(_ bytes: some Collection<UInt8>) -> String? {
    let data = Data(bytes)
    guard let text = String(data: data, encoding: .utf8) else { return nil }
    // Foundation drops a byte order mark.
    return text.utf8.count == data.count ? text : String(decoding: data, as: UTF8.self)
}

/// Returns the text of a body in UTF-8, or nil if it is not text or has a NUL.
func plainText(_ body: Data) -> String? {
    body.withUnsafeBytes { $0.contains(0) } ? nil : exactText(body)
}

extension Data {
    /// Returns the first bytes, up to a number, cut between two characters of UTF-8.
    package func beginning(_ limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        for _ in 0..<3 where self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}

/// Returns the name of the compression of a body that is not text, by its first bytes, or by its
/// `Content-Encoding` if that compression has no mark; nil if it is not known to be compressed.
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
