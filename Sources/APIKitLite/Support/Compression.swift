import Foundation

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
