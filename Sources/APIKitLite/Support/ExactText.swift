import Foundation

/// Whether the bytes are valid UTF-8.
func isUTF8(_ bytes: [UInt8]) -> Bool {
    // Most texts are ASCII, which the processor can check many bytes at a time.
    bytes.reduce(0, |) < 0x80 || exactText(bytes) != nil
}

/// Returns the text of a body in UTF-8, or nil if the bytes are not UTF-8. Unlike Foundation, keeps
/// a byte order mark.
package func exactText(_ bytes: some Collection<UInt8>) -> String? {
    let bytes = ContiguousArray(bytes)
    var text = String(decoding: bytes, as: UTF8.self)
    // Invalid bytes were replaced, so the text differs from them.
    let isExact = text.withUTF8 { text in
        text.count == bytes.count
            && bytes.withUnsafeBytes {
                text.isEmpty || memcmp($0.baseAddress!, text.baseAddress!, text.count) == 0
            }
    }
    return isExact ? text : nil
}
