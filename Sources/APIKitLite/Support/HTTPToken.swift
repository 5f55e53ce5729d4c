import Foundation

extension Collection<UInt8> {
    /// Whether the bytes are a token (RFC 9110, section 5.6.2), such as a method or a field name.
    package var isHTTPToken: Bool { !isEmpty && allSatisfy(\.isHTTPTokenCharacter) }

    /// Whether the bytes may be a field value (RFC 9110, section 5.5), which has no control
    /// character except a tab. Non-ASCII bytes are allowed.
    package var isHTTPFieldValue: Bool { allSatisfy(\.isHTTPFieldCharacter) }
}

extension UInt8 {
    /// Whether a field value (RFC 9110, section 5.5) may contain this byte.
    var isHTTPFieldCharacter: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Whether a token (RFC 9110, section 5.6.2) may contain this byte.
    package var isHTTPTokenCharacter: Bool { tokenCharacters[Int(self)] }
}

private let tokenCharacters = byteTable(alphanumerics + "!#$%&'*+-.^_`|~")

/// Returns the first character that contains a forbidden byte, and its place:
/// `U+200B (zero width space) at position 12`, or `a line break at the end`. Returns nil if there
/// is none. The rest of the text may be secret, so it is not shown.
func flaw(in text: String, allowing isAllowed: (UInt8) -> Bool) -> String? {
    if text.utf8.allSatisfy(isAllowed) { return nil }
    let scalars = Array(text.unicodeScalars)
    let flaws = scalars.indices.filter { !String(scalars[$0]).utf8.allSatisfy(isAllowed) }
    let scalar = scalars[flaws[0]]
    let name = scalar.properties.name?.lowercased() ?? "a control character"
    let code = String(format: "U+%04X", scalar.value)
    return ("\r\n".unicodeScalars.contains(scalar) ? "a line break" : "\(code) (\(name))")
        + (flaws[0] + flaws.count == scalars.count ? " at the end" : " at position \(flaws[0] + 1)")
}
