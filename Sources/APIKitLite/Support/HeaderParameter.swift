import Foundation

/// Returns a parameter of a header value, such as `name` in `form-data; name="title"`.
///
/// A quotation mark ends a quoted value only before a semicolon or at the end of the header,
/// because clients write a quotation mark inside a value as `\"`, or without the backslash. A value
/// may end with a backslash.
///
/// - Parameters:
///   - name: The name of the parameter, in lower case.
///   - header: The value of the header.
/// - Returns: The value; nil if the header has no such parameter.
package func headerParameter(_ name: String, of header: String) -> String? {
    let semicolon = UInt8(ascii: ";")
    let bytes = Array(header.utf8)
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
            let end = closingQuote(quoted) ?? quoted.endIndex
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

/// Returns the index of the quotation mark that ends a quoted value: the first one before a semicolon
/// or the end of the header.
private func closingQuote(_ quoted: ArraySlice<UInt8>) -> Int? {
    quoted.indices.first { index in
        guard quoted[index] == UInt8(ascii: "\"") else { return false }
        let next = quoted[index...].dropFirst().first { !isBlank($0) }
        return next == nil || next == UInt8(ascii: ";")
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
