import Foundation

extension HTTPURLResponse {
    /// Returns the trimmed value of a field, or nil if the field is missing or empty.
    func field(_ name: String) -> String? {
        let value = value(forHTTPHeaderField: name)?.trimmingCharacters(in: .whitespaces)
        return value?.isEmpty == false ? value : nil
    }
}

extension URLRequest {
    /// The header fields, sorted by name.
    var sortedHeaderFields: [(key: String, value: String)] {
        (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    }
}

/// Returns the value of a header's parameter, such as `name` in `form-data; name="title"`, or nil
/// if the header lacks the parameter. Pass the parameter's name in lower case.
package func headerParameter(_ name: String, of header: String) -> String? {
    for parameter in splitHeader(header, at: UInt8(ascii: ";")).dropFirst() {
        let (key, value) = parameter.cut(at: "=")
        guard let value, key.trimmingCharacters(in: .whitespaces).lowercased() == name else {
            continue
        }
        let text = value.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("\"") else { return text }
        // Clients escape only `"`, so a backslash before another character is part of the value.
        let isClosed = text.count > 1 && text.hasSuffix("\"")
        return String(text.dropFirst().dropLast(isClosed ? 1 : 0)).replacing("\\\"", with: "\"")
    }
    return nil
}

/// Splits a header value at each separator that is neither in a quoted string (RFC 9110, section
/// 5.6.4) nor between angle brackets, as in a `Link` header. The parts are trimmed.
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
/// if there is no field or no media type in it.
package func mediaType(_ contentType: String?) -> String? { value(of: contentType)?.type }

/// Returns the value of a `Content-Type` field's parameter, such as `boundary`, or nil if the field
/// lacks the parameter. Pass the parameter's name in lower case.
package func mediaTypeParameter(_ name: String, of contentType: String?) -> String? {
    value(of: contentType).flatMap { headerParameter(name, of: $0.text) }
}

/// Returns the last value with a valid media type other than `*/*` (Fetch, "extract a MIME type"),
/// or else the last value with any type. A field that was sent several times has several values.
private func value(of contentType: String?) -> (type: String, text: String)? {
    let values = splitHeader(contentType ?? "", at: UInt8(ascii: ",")).map { text in
        (text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased(), text)
    }.filter { !$0.0.isEmpty }
    return values.last { type, _ in
        type != "*/*" && type.split("/").map(\.utf8.isHTTPToken) == [true, true]
    } ?? values.last
}

extension Collection<UInt8> {
    /// Whether the bytes are a token (RFC 9110, section 5.6.2), such as a method or a field name.
    package var isHTTPToken: Bool { !isEmpty && allSatisfy { tokenCharacters[Int($0)] } }

    /// Whether the bytes may be a field value (RFC 9110, section 5.5), which has no control
    /// character except a tab. Non-ASCII bytes are allowed.
    package var isHTTPFieldValue: Bool { allSatisfy { fieldCharacters[Int($0)] } }
}

/// The bytes that a field value may contain.
let fieldCharacters: [Bool] = (0...255).map { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
private let tokenCharacters = byteTable(alphanumerics + "!#$%&'*+-.^_`|~")

/// Describes the first character that contains a forbidden byte, and the character's place:
/// `U+200B (zero width space) at position 12`, or `a line break at the end`. Returns nil if every
/// byte is allowed, according to a table of all bytes. The rest of the text may be secret, so it is
/// not shown.
func flaw(in text: String, allowing isAllowed: [Bool]) -> String? {
    func isFlaw(_ byte: UInt8) -> Bool { !isAllowed[Int(byte)] }
    guard text.utf8.contains(where: isFlaw) else { return nil }
    let scalars = Array(text.unicodeScalars)
    let flaws = scalars.indices.filter { String(scalars[$0]).utf8.contains(where: isFlaw) }
    let scalar = scalars[flaws[0]]
    let name = scalar.properties.name?.lowercased() ?? "a control character"
    let code = String(format: "U+%04X", scalar.value)
    return ("\r\n".unicodeScalars.contains(scalar) ? "a line break" : "\(code) (\(name))")
        + (flaws[0] + flaws.count == scalars.count ? " at the end" : " at position \(flaws[0] + 1)")
}
