extension Redaction {
    /// The depth at which a nested text is hidden as a whole.
    ///
    /// A text may contain a URL, whose query may contain another text, and so on.
    private static let maximumDepth = 6

    /// Returns a text with its secrets redacted.
    ///
    /// JSON is redacted like a body. In any other text, URLs are redacted, also relative ones, and
    /// so are values after the names of secrets, and payment card numbers.
    package func text(_ text: String) -> String {
        guard !isEmpty, let shown = redacted(Array(text.utf8), depth: 0) else { return text }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the redacted text, or `nil` if it needs no change.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - depth: The number of texts that contain this one.
    ///   - isCut: Whether the text was cut, so that its end may be the beginning of a secret.
    func redacted(_ text: [UInt8], depth: Int, isCut: Bool = false) -> [UInt8]? {
        var mayBeSecret = false
        var nests = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                nests = true
            case UInt8(ascii: "%") where index + 2 < text.count:
                // Only a valid escape nests. Any other text would be the same at the next depth.
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
        guard mayBeSecret || nests || isJSON else { return withoutCardNumbers(text, isCut) }
        guard depth < Self.maximumDepth || !nests && !isJSON else { return Array(Self.mark.utf8) }
        if isJSON, let edits = edits(in: JSONScanner(text), depth: depth, isCut: isCut) {
            return edits.isEmpty ? nil : Edit.apply(edits, to: text)
        }
        let values = NamedValues(text, redaction: self).edits()
        let edits = nests ? words(of: text, around: values, depth, isCut) : values
        if edits.isEmpty { return withoutCardNumbers(text, isCut) }
        let shown = Edit.apply(edits, to: text)
        return withoutCardNumbers(shown, isCut) ?? shown
    }

    /// Returns the text with payment card numbers redacted, or `nil` if there are none.
    private func withoutCardNumbers(_ text: [UInt8], _ isCut: Bool) -> [UInt8]? {
        let numbers = hidesCardNumbers ? CardNumber.ranges(in: text, isCut: isCut) : []
        if numbers.isEmpty { return nil }
        return Edit.apply(
            numbers.map { Edit(range: $0, replacement: Array(Self.mark.utf8)) }, to: text)
    }

    /// Returns the edits of the named values, and of the URLs and escaped words between them.
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

    /// Adds the edits of the URLs and escaped words in a part of a text.
    ///
    /// A URL ends at a byte that cannot occur in a URL. If it ended earlier, the rest of a secret
    /// could remain visible.
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

/// Whether a byte separates words and cannot occur in a URL.
func endsWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
        || byte == UInt8(ascii: ">")
}
