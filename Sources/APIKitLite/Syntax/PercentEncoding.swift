import Foundation

/// The percent-encoding for one part of a URL or form, defined by the bytes that are not escaped.
///
/// `CharacterSet` and `URLComponents` allow different bytes on different systems, and neither
/// escapes `+`, which servers read as a space in a query or form.
struct PercentEncoding: Sendable {
    private let isAllowed: [Bool]
    /// The bytes that stand for each byte that is not allowed.
    private var codes: [[UInt8]]

    /// RFC 3986's "unreserved" characters, for a path value, which must not add a segment or query.
    static let pathValue = PercentEncoding(allowing: "-._~")
    /// The "pchar" characters of RFC 3986, for the literal text of a path segment.
    static let pathText = PercentEncoding(allowing: "-._~!$&'()*+,;=:@")
    /// The same with the slash, for several segments.
    static let path = PercentEncoding(allowing: "-._~!$&'()*+,;=:@/")
    /// The characters without a special meaning in the name or value of a query item.
    static let query = PercentEncoding(allowing: "-._~!$()*,/:?@")
    /// The characters allowed after the authority of a URL reference, except `#` and `%`.
    private static let reference = PercentEncoding(allowing: "-._~!$&'()*+,;=:@/?")
    /// The encoding of the WHATWG `application/x-www-form-urlencoded` serializer.
    static let form = PercentEncoding(allowing: "*-._", plusForSpace: true)

    private init(allowing others: String, plusForSpace: Bool = false) {
        isAllowed = byteTable(alphanumerics + others)
        codes = (0...255).map { Array(String(format: "%%%02X", $0).utf8) }
        if plusForSpace { codes[0x20] = [UInt8(ascii: "+")] }
    }

    func encode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 { append(byte, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        if isAllowed[Int(byte)] { bytes.append(byte) } else { bytes += codes[Int(byte)] }
    }

    /// Returns a URL reference (RFC 3986, section 4.1) with missing escapes added, for example for
    /// a space. Existing escapes and the authority are unchanged.
    static func completingReference(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let start = endOfAuthority(bytes)
        let fragment = bytes[start...].firstIndex(of: UInt8(ascii: "#"))
        var completed = Array(bytes[..<start])
        for index in bytes.indices[start...] {
            if index == fragment || escape(at: index, in: bytes) != nil {
                completed.append(bytes[index])
            } else {
                reference.append(bytes[index], to: &completed)
            }
        }
        return String(decoding: completed, as: UTF8.self)
    }

    /// Returns the index after the authority of a URL reference, or 0 if there is no authority.
    private static func endOfAuthority(_ bytes: [UInt8]) -> Int {
        let isDelimiter = { (byte: UInt8) in "/?#".utf8.contains(byte) }
        let slashes = bytes.firstIndex(where: isDelimiter) ?? bytes.count
        guard bytes[slashes...].starts(with: "//".utf8),
            slashes == 0 || bytes[slashes - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(slashes + 2)...].firstIndex(where: isDelimiter) ?? bytes.count
    }
}

extension StringProtocol {
    /// The text as the name or value of a form's field.
    package var formEncoded: String { PercentEncoding.form.encode(self) }

    /// Returns the text with its escapes decoded: `%41` becomes `A`.
    ///
    /// Malformed escapes are kept, as servers keep them.
    package func percentDecoded(plusIsSpace: Bool = false) -> String {
        let plus = UInt8(ascii: "+")
        let isEncoded = utf8.contains { $0 == UInt8(ascii: "%") || $0 == plus }
        guard isEncoded else { return String(self) }
        let text = Array(utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = escape(at: index, in: text)
            let isSpace = plusIsSpace && text[index] == plus
            bytes.append(byte ?? (isSpace ? UInt8(ascii: " ") : text[index]))
            index += byte == nil ? 1 : 3
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Returns the byte that the escape at an index stands for, or nil if there is no escape.
private func escape(at index: Int, in text: [UInt8]) -> UInt8? {
    guard text[index] == UInt8(ascii: "%"), index + 2 < text.count,
        let high = hexDigit(text[index + 1]), let low = hexDigit(text[index + 2])
    else { return nil }
    return high << 4 | low
}

/// Returns a hexadecimal digit's value, or nil for any other byte.
private func hexDigit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
}

extension URL {
    /// Creates a URL from a URL reference (RFC 3986, section 4.1) that may lack escapes.
    ///
    /// Foundation also adds missing escapes, but then escapes each `%` again: `/a|b%20c` would
    /// become `/a%7Cb%2520c`. Before macOS 14 and iOS 17, Foundation rejects such text.
    package init?(reference text: String, relativeTo base: URL? = nil) {
        self.init(string: PercentEncoding.completingReference(text), relativeTo: base)
    }
}
