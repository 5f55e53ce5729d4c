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
