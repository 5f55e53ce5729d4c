import Foundation

/// Returns a parameter of a header value, such as `name` in `form-data; name="title"`. The name is
/// in lower case.
package func headerParameter(_ name: String, of header: String) -> String? {
    for parameter in splitHeader(header, at: UInt8(ascii: ";")).dropFirst() {
        let (key, value) = parameter.cut(at: "=")
        guard let value, key.trimmingCharacters(in: .whitespaces).lowercased() == name else {
            continue
        }
        let text = value.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("\"") else { return text }
        // Clients use no other escape, because a backslash may be part of a file's name.
        let isClosed = text.count > 1 && text.hasSuffix("\"")
        return String(text.dropFirst().dropLast(isClosed ? 1 : 0)).replacing("\\\"", with: "\"")
    }
    return nil
}

/// Splits a header value at a separator that is neither in a quoted string (RFC 9110, section
/// 5.6.4) nor between angle brackets, as in a link. The parts are trimmed.
func splitHeader(_ header: String, at separator: UInt8) -> [String] {
    var parts: [[UInt8]] = [[]]
    /// The byte that ends the current quoted string or link.
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

/// The media type of a form without files (WHATWG URL Standard, section 5.2).
package let formMediaType = "application/x-www-form-urlencoded"

/// Returns the media type of a `Content-Type` field in lower case, without its parameters, or nil
/// if the field is nil or empty.
package func mediaType(_ contentType: String?) -> String? { value(of: contentType)?.type }

/// Returns a parameter of a `Content-Type` field, such as `boundary`. The name is in lower case.
package func mediaTypeParameter(_ name: String, of contentType: String?) -> String? {
    value(of: contentType).flatMap { headerParameter(name, of: $0.text) }
}

/// Returns the value to use if a field was sent several times: the last media type (Fetch, "extract
/// a MIME type"), or else the last value.
private func value(of contentType: String?) -> (type: String, text: String)? {
    let values = splitHeader(contentType ?? "", at: UInt8(ascii: ",")).map { text in
        (text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased(), text)
    }.filter { !$0.0.isEmpty }
    return values.last { type, _ in
        type != "*/*" && type.split("/").map(\.utf8.isHTTPToken) == [true, true]
    } ?? values.last
}
