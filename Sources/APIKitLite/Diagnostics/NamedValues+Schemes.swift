import Foundation

extension NamedValues {
    /// The long options of curl whose value is a secret.
    private static let curlOptions: Set<String> = [
        "--user", "--proxy-user", "--oauth2-bearer", "--cookie", "--pass", "--proxy-pass", "--cert",
    ]

    /// Whether a name is a JSON Web Token: `header.payload.signature`.
    ///
    /// The base64 text of a JSON object with quoted keys begins with `eyJ`.
    func isWebToken(_ name: Range<Int>) -> Bool {
        name.count >= 20 && bytes[name].starts(with: "eyJ".utf8)
            && bytes[name].count { $0 == UInt8(ascii: ".") } >= 2
    }

    /// The credential after `Bearer` or `Basic`, or `nil` if there is none.
    func schemeValue(_ name: Range<Int>) -> Range<Int>? {
        guard byte(name.upperBound) == 0x20, [5, 6].contains(name.count) else { return nil }
        let start = skip(name.upperBound, while: isBlank)
        let value = start..<skip(start, while: { !endsWord($0) && !",;)'".utf8.contains($0) })
        switch String(decoding: bytes[name], as: UTF8.self).lowercased() {
        case "bearer": return isBearer(value) ? value : nil
        case "basic": return isBasic(value) ? value : nil
        default: return nil
        }
    }

    /// Whether the text after `Bearer` can be a token.
    ///
    /// It is not a short word, as in "Bearer authentication", and not a parameter of a challenge.
    private func isBearer(_ value: Range<Int>) -> Bool {
        let text = trimmed(value)
        let isWord = text.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let isChallenge = ["realm=", "error", "scope="].contains { text.starts(with: $0.utf8) }
        return !text.isEmpty && !(isWord && text.count < 16) && !isChallenge
            && !text.starts(with: Redaction.mark.utf8)
    }

    /// Whether the text after `Basic` is the base64 text of a user and a password.
    private func isBasic(_ value: Range<Int>) -> Bool {
        var text = String(decoding: trimmed(value), as: UTF8.self)
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text)?.contains(UInt8(ascii: ":")) ?? false
    }

    /// The secret value of a curl option, such as a user and password or cookies, or `nil` if the
    /// option has none.
    func curlValue(_ name: Range<Int>) -> Range<Int>? {
        let option = String(decoding: bytes[name], as: UTF8.self)
        let isShort = !option.hasPrefix("--")
        if isShort, option.hasPrefix("-u"), byte(name.upperBound) == UInt8(ascii: ":") {
            return name.lowerBound + 2..<skip(name.upperBound, while: { !endsWord($0) })
        }
        // Short options may be combined, as in `-sSu`: only the last one has a value.
        guard Self.curlOptions.contains(option) || isShort && "uUbE".contains(option.last!) else {
            return nil
        }
        let start = skip(name.upperBound, while: { isBlank($0) || $0 == UInt8(ascii: "=") })
        guard start > name.upperBound, let first = byte(start), first != UInt8(ascii: "-") else {
            return nil
        }
        guard isQuote(first) else { return start..<skip(start, while: { !endsWord($0) }) }
        return start + 1..<(closingQuote(first, in: start + 1..<bytes.count) ?? bytes.count)
    }
}
