extension Redaction {
    /// Text may hold a URL that holds text, and so on. Deeper than this, nothing is shown.
    private static let maximumDepth = 6

    /// Text with its secrets redacted: JSON as a body would be; else URLs, relative ones included,
    /// and values after their names.
    package func text(_ text: String) -> String {
        guard !isEmpty, let shown = redacted(Array(text.utf8), depth: 0) else { return text }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The text as it may be shown; nil if it may be shown as it is.
    ///
    /// - Parameter isCut: Whether the text was cut at its end, so that what is there may be the
    ///   beginning of a secret.
    func redacted(_ text: [UInt8], depth: Int, isCut: Bool = false) -> [UInt8]? {
        var mayBeSecret = false
        var nests = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                nests = true
            case UInt8(ascii: "%") where index + 2 < text.count:
                // Only what can be unescaped: the rest is what it was at the next depth.
                nests =
                    nests || hexDigit(text[index + 1]) != nil && hexDigit(text[index + 2]) != nil
            case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: " "),
                UInt8(ascii: ">"):
                mayBeSecret = true
            default: break
            }
        }
        let first = text.first { $0 > 0x20 }
        let isJSON = first.map { "{[\"".utf8.contains($0) } ?? false
        guard mayBeSecret || nests || isJSON else { return nil }
        guard depth < Self.maximumDepth || !nests && !isJSON else { return Array(Self.mark.utf8) }
        if isJSON, let edits = edits(in: JSONScanner(text), depth: depth, isCut: isCut) {
            return edits.isEmpty ? nil : Edit.apply(edits, to: text)
        }
        let values = NamedValues(text, redaction: self).edits()
        let edits = nests ? words(of: text, around: values, depth, isCut) : values
        return edits.isEmpty ? nil : Edit.apply(edits, to: text)
    }

    /// Adds the edits of the URLs in a text, and of what is escaped as a part of one.
    private func words(
        of text: [UInt8], around values: [Edit], _ depth: Int, _ isCut: Bool
    ) -> [Edit] {
        var edits: [Edit] = []
        var start = 0
        for value in values {
            addWords(of: text[start..<value.range.lowerBound], to: &edits, depth, false)
            edits.append(value)
            start = value.range.upperBound
        }
        addWords(of: text[start...], to: &edits, depth, isCut)
        return edits
    }

    /// A URL ends where no URL goes on. Rather too late than too early: the rest of a secret would
    /// be left standing.
    private func addWords(
        of text: ArraySlice<UInt8>, to edits: inout [Edit], _ depth: Int, _ isCut: Bool
    ) {
        var rest = text
        while !rest.isEmpty {
            let word = rest.prefix { !endsWord($0) }
            let isURL = word.contains {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
                    || $0 == UInt8(ascii: "%")
            }
            if isURL {
                let isLast = isCut && word.endIndex == text.endIndex
                let shown = reference(word, depth: depth, isCut: isLast)
                if !shown.elementsEqual(word) {
                    edits.append(Edit(range: word.startIndex..<word.endIndex, replacement: shown))
                }
            }
            rest = rest[word.endIndex...].drop(while: endsWord)
        }
    }
}

/// Whether a byte stands between words, and in no URL.
func endsWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
        || byte == UInt8(ascii: ">")
}
