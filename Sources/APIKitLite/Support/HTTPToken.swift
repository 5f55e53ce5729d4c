extension Collection<UInt8> {
    /// Whether the bytes are a token (RFC 9110, section 5.6.2), as methods and field names are.
    package var isHTTPToken: Bool { !isEmpty && allSatisfy(\.isHTTPTokenCharacter) }

    /// Whether the bytes may be a field value (RFC 9110, section 5.5): they have no control
    /// character but the tab. Bytes beyond ASCII are allowed.
    package var isHTTPFieldValue: Bool { allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}

extension UInt8 {
    /// Whether a token (RFC 9110, section 5.6.2) may contain this byte.
    package var isHTTPTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

/// Whether the text contains CR, LF or NUL, which a header must not (RFC 9110, section 5.5).
func breaksLine(_ text: String) -> Bool {
    text.utf8.contains { [0, UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains($0) }
}
