import Foundation

extension NamedValues {
    private static let curlOptions: Set<String> = [
        "--user", "--proxy-user", "--oauth2-bearer", "--cookie", "--pass", "--proxy-pass", "--cert",
    ]

    /// `header.payload.signature`, as base64 of JSON begins.
    func isWebToken(_ name: Range<Int>) -> Bool {
        name.count >= 20 && bytes[name].starts(with: "eyJ".utf8)
            && bytes[name].count { $0 == UInt8(ascii: ".") } >= 2
    }

    /// What follows `Bearer` or `Basic`.
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

    /// Not "Bearer authentication", nor what a challenge says.
    private func isBearer(_ value: Range<Int>) -> Bool {
        let text = trimmed(value)
        let isWord = text.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let isChallenge = ["realm=", "error", "scope="].contains { text.starts(with: $0.utf8) }
        return !text.isEmpty && !(isWord && text.count < 16) && !isChallenge
            && !text.starts(with: Redaction.mark.utf8)
    }

    /// Base64 of a user and a password.
    private func isBasic(_ value: Range<Int>) -> Bool {
        var text = String(decoding: trimmed(value), as: UTF8.self)
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text)?.contains(UInt8(ascii: ":")) ?? false
    }

    /// The user and password, or the cookies, of a curl command.
    func curlValue(_ name: Range<Int>) -> Range<Int>? {
        let option = String(decoding: bytes[name], as: UTF8.self)
        let isShort = !option.hasPrefix("--")
        if isShort, option.hasPrefix("-u"), byte(name.upperBound) == UInt8(ascii: ":") {
            return name.lowerBound + 2..<skip(name.upperBound, while: { !endsWord($0) })
        }
        // Short options may stand together: -sSu.
        guard Self.curlOptions.contains(option) || isShort && "uUbE".contains(option.last!) else {
            return nil
        }
        let start = skip(name.upperBound, while: { isBlank($0) || $0 == UInt8(ascii: "=") })
        guard start > name.upperBound, let first = byte(start), first != UInt8(ascii: "-") else {
            return nil
        }
        guard isQuote(first) else { return start..<skip(start, while: { !endsWord($0) }) }
        return start + 1..<(closingQuote(first, from: start + 1) ?? bytes.count)
    }
}
