import Foundation

/// Returns a parameter of a header value, such as `name` in `form-data; name="title"`.
///
/// A quotation mark ends a quoted value only before a semicolon or at the end of the header,
/// because clients write a quotation mark inside a value as `\"`, or without the backslash. A value
/// may end with a backslash: `\"` ends it if no other quotation mark does.
///
/// - Parameters:
///   - name: The name of the parameter, in lower case.
///   - header: The value of the header.
/// - Returns: The value; nil if the header has no such parameter.
package func headerParameter(_ name: String, of header: String) -> String? {
    let semicolon = UInt8(ascii: ";")
    let bytes = Array(header.utf8)
    var ends = ClosingQuotes(of: bytes)
    var rest = bytes.drop { $0 != semicolon }
    while !rest.isEmpty {
        rest = rest.dropFirst()
        let key = rest.prefix { $0 != UInt8(ascii: "=") && $0 != semicolon }
        rest = rest[key.endIndex...]
        guard rest.first == UInt8(ascii: "=") else { continue }
        rest = rest.dropFirst().drop(while: isBlank)
        let value: [UInt8]
        if rest.first == UInt8(ascii: "\"") {
            let quoted = rest.dropFirst()
            let end = ends.first(from: quoted.startIndex) ?? quoted.endIndex
            value = unescaped(quoted[..<end])
            rest = quoted[end...]
        } else {
            value = Array(trimmed(rest.prefix { $0 != semicolon }))
        }
        rest = rest.drop { $0 != semicolon }
        if String(decoding: trimmed(key), as: UTF8.self).lowercased() == name {
            return String(decoding: value, as: UTF8.self)
        }
    }
    return nil
}

/// The quotation marks of a header before a semicolon or the end. They are found once, so that many
/// parameters take linear time.
private struct ClosingQuotes {
    /// Their indices, the last one first. After `\\`, one is not escaped (RFC 9110, 5.6.4).
    private var plain: [Int] = []
    private var escaped: [Int] = []

    init(of bytes: [UInt8]) {
        var isEnd = true
        for index in bytes.indices.reversed() where !isBlank(bytes[index]) {
            if isEnd, bytes[index] == UInt8(ascii: "\"") {
                let backslashes = bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }
                if backslashes.count.isMultiple(of: 2) {
                    plain.append(index)
                } else {
                    escaped.append(index)
                }
            }
            isEnd = bytes[index] == UInt8(ascii: ";")
        }
    }

    /// Returns the first of them at or after an index, if possible one that is not escaped. The
    /// indices must ascend.
    mutating func first(from index: Int) -> Int? {
        while let first = plain.last, first < index { plain.removeLast() }
        while let first = escaped.last, first < index { escaped.removeLast() }
        return plain.last ?? escaped.last
    }
}

/// Returns the bytes without the backslash before each quotation mark.
private func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text {
        if byte == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\\") { bytes.removeLast() }
        bytes.append(byte)
    }
    return bytes
}

/// Returns the bytes without spaces and tabs at either end.
private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
}

/// Whether a byte is a space or a tab.
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// The media type of a form without files (WHATWG URL Standard, section 5.2).
package let formMediaType = "application/x-www-form-urlencoded"

/// Returns a content type in lower case, without its parameters; nil if it is nil or empty.
package func mediaType(_ contentType: String?) -> String? {
    let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    return type.flatMap { $0.isEmpty ? nil : $0.lowercased() }
}
