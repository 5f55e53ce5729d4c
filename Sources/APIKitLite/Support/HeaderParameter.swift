import Foundation

/// Returns a parameter of a header value, such as `name` in `form-data; name="title"`. The name is in
/// lower case.
package func headerParameter(_ name: String, of header: String) -> String? {
    for parameter in splitHeader(header, at: UInt8(ascii: ";")).dropFirst() {
        let (key, value) = parameter.cut(at: "=")
        guard let value, key.trimmingCharacters(in: .whitespaces).lowercased() == name else {
            continue
        }
        let text = value.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("\"") else { return text }
        // Of the escapes, clients use only this one: a backslash may be part of a file's name.
        let isClosed = text.count > 1 && text.hasSuffix("\"")
        return String(text.dropFirst().dropLast(isClosed ? 1 : 0)).replacing("\\\"", with: "\"")
    }
    return nil
}

/// Splits a header value at a separator that is neither in a quoted string (RFC 9110, section 5.6.4)
/// nor between angle brackets, as in a link. The parts have no spaces around them.
func splitHeader(_ header: String, at separator: UInt8) -> [String] {
    var parts: [[UInt8]] = [[]]
    /// The byte that ends the quoted string or the link.
    var end: UInt8?
    var isEscaped = false
    for byte in header.utf8 {
        if end == nil, byte == separator {
            parts.append([])
            continue
        }
        parts[parts.count - 1].append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == end {
            end = nil
        } else if end == nil {
            if byte == UInt8(ascii: "<") { end = UInt8(ascii: ">") }
            if byte == UInt8(ascii: "\"") { end = byte }
        } else {
            isEscaped = byte == UInt8(ascii: "\\") && end == UInt8(ascii: "\"")
        }
    }
    return parts.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
}
