/// A search for secrets in text by the names before them: `token=…`, `"password": "…"`,
/// `Authorization: Bearer …`, `curl -u user:…`.
///
/// The range of an edit includes the name. So the redaction of URLs does not process the name
/// again.
struct NamedValues {
    let bytes: [UInt8]
    private let redaction: Redaction
    /// Whether the text contains `curl`, so that its options are read.
    private let isCurl: Bool

    /// The separator between a name and its value.
    private struct Separator {
        let byte: UInt8
        /// The index at which the value begins.
        let valueStart: Int
        /// Whether there are spaces between the separator and the value.
        let hasSpace: Bool
        /// Whether the name is in quotation marks that enclose only the name.
        let isQuoted: Bool
    }

    /// Words of an error text that follow a colon but are not a secret: "token: expired".
    private static let prose: Set<String> = [
        "is", "was", "must", "has", "not", "no", "too", "invalid", "expired", "missing", "required",
        "expected", "unexpected", "wrong", "empty", "unknown", "cannot", "may", "should", "can",
        "the", "a", "an", "it", "please", "malformed", "revoked", "denied", "failed", "bad",
        "incorrect", "unauthorized", "rejected", "found",
    ]

    /// Literals that are not a secret, whatever name is before them.
    private static let trivial: Set<String> = ["nil", "null", "true", "false", "none", "undefined"]

    /// The first word of a value whose second word is the secret: `X-Token: Bearer …`.
    private static let schemes: Set<String> = [
        "bearer", "basic", "digest", "token", "negotiate", "ntlm", "apikey", "key", "hmac",
    ]

    init(_ bytes: [UInt8], redaction: Redaction) {
        self.bytes = bytes
        self.redaction = redaction
        isCurl = String(decoding: bytes, as: UTF8.self).contains("curl")
    }

    /// Returns the edits that redact the text, in order.
    func edits() -> [Edit] {
        var edits: [Edit] = []
        var index = 0
        // `Redaction.reference` redacts the query items and the fragment of a URL.
        var isInQuery = false
        // Where the content of a secret element begins, whose attributes come first.
        var contentStart = Int.max
        while index < bytes.count {
            if index >= contentStart {
                contentStart = .max
                let content = content(from: index)
                if !content.isEmpty {
                    edits.append(Edit(range: content, replacement: Array(Redaction.mark.utf8)))
                    index = content.upperBound
                    continue
                }
            }
            let byte = bytes[index]
            guard SecretName.isNameByte(byte) else {
                if endsWord(byte) { isInQuery = false }
                if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isInQuery = true }
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, SecretName.isNameByte(bytes[index]) { index += 1 }
            if let tag = tag(start..<index), tag.hasAttributes {
                if isSecret(start..<index) { contentStart = tag.end }
                continue
            }
            if let value = secret(after: start..<index, isInQuery), !value.isEmpty {
                edits.append(
                    Edit(
                        range: start..<value.upperBound,
                        replacement: bytes[start..<value.lowerBound] + Array(Redaction.mark.utf8)))
                index = value.upperBound
            }
        }
        return edits
    }

    /// The range of the secret after a name, or of the name itself if it is a secret.
    private func secret(after name: Range<Int>, _ isInQuery: Bool) -> Range<Int>? {
        if isWebToken(name) { return name }
        if isCurl, bytes[name.lowerBound] == UInt8(ascii: "-"), let value = curlValue(name) {
            return value
        }
        guard let separator = separator(after: name) else { return schemeValue(name) }
        let text = String(decoding: bytes[name], as: UTF8.self)
        let secrecy = redaction.secrecy(of: text, in: .key)
        guard secrecy > .none else { return schemeValue(name) }
        guard !belongsToURL(name, separator, isInQuery) else { return nil }
        return value(text, secrecy, separator, name)
    }

    /// Whether the name belongs to a URL or to a path, as in `/oauth/token: 404`. Its value is not
    /// redacted here.
    private func belongsToURL(
        _ name: Range<Int>, _ separator: Separator, _ isInQuery: Bool
    ) -> Bool {
        let isColon = separator.byte == UInt8(ascii: ":")
        let before = byte(name.lowerBound - 1)
        if isColon, bytes[name.lowerBound] == UInt8(ascii: ".") || before == UInt8(ascii: "/") {
            return separator.hasSpace || before == byte(name.lowerBound - 2)
        }
        let isWord = !isQuote(byte(separator.valueStart))
        return isInQuery && separator.byte == UInt8(ascii: "=") && isWord
    }

    /// The separator after a name, or `nil` if there is none.
    private func separator(after name: Range<Int>) -> Separator? {
        let before = byte(name.lowerBound - 1)
        var index = name.upperBound
        if let tag = tag(name) {
            return Separator(
                byte: UInt8(ascii: ">"), valueStart: tag.end, hasSpace: false, isQuoted: false)
        }
        var isQuoted = false
        if isQuote(before) {
            // JSON inside a JSON string has backslashes before its quotation marks.
            let quote = skip(index, while: { $0 == UInt8(ascii: "\\") })
            if byte(quote) == before {
                isQuoted = true
                index = quote + 1
                // Swift prints an untyped key as `AnyHashable("token")`.
                if byte(index) == UInt8(ascii: ")") { index += 1 }
            }
        } else if before == UInt8(ascii: "["), byte(index) == UInt8(ascii: "]") {
            index += 1
        }
        index = skip(index, while: isQuoted ? { $0 <= 0x20 } : isBlank)
        guard let separator = byte(index) else { return nil }
        switch separator {
        case UInt8(ascii: ":"): index += 1
        case UInt8(ascii: "="):
            index = skip(index, while: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">") })
        default: return nil
        }
        let value = skip(index, while: isQuoted ? { $0 <= 0x20 } : isBlank)
        return Separator(
            byte: separator, valueStart: value, hasSpace: value > index, isQuoted: isQuoted)
    }

    /// Whether any value with this name is a secret.
    private func isSecret(_ name: Range<Int>) -> Bool {
        redaction.secrecy(of: String(decoding: bytes[name], as: UTF8.self), in: .key) == .always
    }

    /// The range of the value after a separator, or `nil` if the value cannot be a secret.
    private func value(
        _ name: String, _ secrecy: Secrecy, _ separator: Separator, _ nameRange: Range<Int>
    ) -> Range<Int>? {
        let start = separator.valueStart
        guard start < bytes.count, !bytes[start...].starts(with: Redaction.mark.utf8) else {
            return nil
        }
        func ifSecret(_ value: Range<Int>) -> Range<Int>? {
            secrecy == .always || SecretName.looksLikeToken(trimmed(value)) ? value : nil
        }
        if separator.byte == UInt8(ascii: ">") { return ifSecret(content(from: start)) }
        let opening = skip(start, while: { $0 == UInt8(ascii: "\\") })
        if let quote = byte(opening), isQuote(quote) {
            return ifSecret(quotedValue(from: opening + 1, quote, slashes: opening - start))
        }
        if secrecy == .byValue { return token(from: start) }
        let isColon = separator.byte == UInt8(ascii: ":")
        let kind = separator.isQuoted ? nil : LineKind(name)
        let isWholeLine = isColon && kind != nil
        if !isWholeLine, "{[".utf8.contains(bytes[start]) {
            return start..<closingBracket(from: start)
        }
        // In `'X-Api-Key: …'` the quotation mark before the name also ends the value. It is
        // searched for in the value alone: a text may have many such names and no such end.
        let before = byte(nameRange.lowerBound - 1)
        let quote = separator.isQuoted || !isQuote(before) ? nil : before
        let word = upTo(quote, in: word(from: start, separator.isQuoted))
        let text = String(decoding: trimmed(word), as: UTF8.self).lowercased()
        if Self.trivial.contains(text), !isWholeLine || isLineEnd(word.upperBound) { return nil }
        if isColon, isWholeLine || separator.hasSpace, isProse(word) { return nil }
        if isWholeLine { return upTo(quote, in: start..<skip(start, while: isInLine)) }
        var end = word.upperBound
        if Self.schemes.contains(text) {
            end = endOfNextWord(after: end, quote) ?? end
        } else if kind == .cookie {
            while bytes[end - 1] == UInt8(ascii: ";"), let next = endOfNextWord(after: end, quote) {
                end = next
            }
        }
        return start..<end
    }

    /// A name whose value is all of a line after a colon.
    private enum LineKind {
        case authorization, cookie

        init?(_ name: String) {
            switch SecretName.words(of: name, atCapitals: true).last {
            case "authorization", "authorisation": self = .authorization
            case "cookie", "cookies": self = .cookie
            default: return nil
            }
        }
    }

    /// The range of a value that begins with a token, or `nil` if it does not.
    ///
    /// A word that is not a token is not read to its end: the same word may have many names. What
    /// follows a token may belong to it, as the dots of a JSON Web Token and an escape do.
    private func token(from start: Int) -> Range<Int>? {
        let beginning = bytes[start...].prefix(512).prefix(while: SecretName.isTokenByte)
        guard SecretName.looksLikeToken(beginning) else { return nil }
        func mayBelong(_ byte: UInt8) -> Bool {
            SecretName.isTokenByte(byte) || SecretName.isNameByte(byte) || byte == UInt8(ascii: "%")
        }
        return start..<skip(start, while: mayBelong)
    }

    /// The end of the word after the spaces at an index, or `nil` if there are no spaces, or if the
    /// word belongs to a sentence.
    private func endOfNextWord(after index: Int, _ quote: UInt8?) -> Int? {
        let start = skip(index, while: isBlank)
        guard start > index else { return nil }
        let word = upTo(quote, in: word(from: start, false))
        return isProse(word) ? nil : word.upperBound
    }

    /// Whether a word belongs to a sentence, or has no letters and digits.
    private func isProse(_ word: Range<Int>) -> Bool {
        let text = trimmed(word)
        return !text.contains { SecretName.isNameByte($0) && $0 != UInt8(ascii: "-") }
            || Self.prose.contains(String(decoding: text, as: UTF8.self).lowercased())
    }
}
