import Foundation

/// Whether bytes are text in UTF-8.
func isUTF8(_ bytes: [UInt8]) -> Bool {
    // Most are ASCII, which is told many bytes at a time.
    bytes.reduce(0, |) < 0x80 || exactText(bytes) != nil
}

/// The text of a body in UTF-8, with the byte order mark that Foundation would leave out; nil for
/// other bytes.
package func exactText(_ bytes: some Collection<UInt8>) -> String? {
    let bytes = ContiguousArray(bytes)
    var text = String(decoding: bytes, as: UTF8.self)
    // What is no UTF-8 was replaced.
    let isExact = text.withUTF8 { text in
        text.count == bytes.count
            && bytes.withUnsafeBytes {
                text.isEmpty || memcmp($0.baseAddress!, text.baseAddress!, text.count) == 0
            }
    }
    return isExact ? text : nil
}
