import Foundation

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
