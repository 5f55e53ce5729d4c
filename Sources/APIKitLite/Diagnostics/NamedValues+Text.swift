// Where words, values in quotation marks, brackets and tags end.
extension NamedValues {
    /// The start tag of an XML element with this name, as in `<s:Password Type="a">`, or `nil` if
    /// the name is not that of an element with content.
    ///
    /// - Returns: The index after the tag, and whether the tag has attributes.
    func tag(_ name: Range<Int>) -> (end: Int, hasAttributes: Bool)? {
        var start = name.lowerBound - 1
        if byte(start) == UInt8(ascii: ":") {
            repeat { start -= 1 } while byte(start).map(SecretName.isNameByte) ?? false
        }
        guard byte(start) == UInt8(ascii: "<") else { return nil }
        let attribute = skip(name.upperBound, while: { $0 <= 0x20 })
        let equals = skip(
            attribute, while: { SecretName.isNameByte($0) || $0 == UInt8(ascii: ":") })
        let hasAttributes = attribute > name.upperBound && byte(equals) == UInt8(ascii: "=")
        let end = hasAttributes ? skip(equals, while: { !"<>".utf8.contains($0) }) : attribute
        let isContentNext = byte(end) == UInt8(ascii: ">") && bytes[end - 1] != UInt8(ascii: "/")
        return isContentNext ? (end + 1, hasAttributes) : nil
    }

    /// The range up to the next tag.
    func content(from start: Int) -> Range<Int> {
        start..<skip(start, while: { $0 != UInt8(ascii: "<") })
    }

    /// Whether only spaces follow in the line.
    func isLineEnd(_ index: Int) -> Bool {
        byte(skip(index, while: isBlank)).map { !isInLine($0) } ?? true
    }

    func isInLine(_ byte: UInt8) -> Bool { byte != 0x0a && byte != 0x0d }

    /// The part of a range before a closing quotation mark, or all of it if it has none.
    func upTo(_ quote: UInt8?, in range: Range<Int>) -> Range<Int> {
        guard let quote, let end = closingQuote(quote, in: range) else { return range }
        return range.lowerBound..<end
    }

    /// The bytes of a range without the punctuation at its end.
    func trimmed(_ range: Range<Int>) -> ArraySlice<UInt8> {
        var text = bytes[range]
        while let last = text.last, ".,;:!)]}'".utf8.contains(last) { text.removeLast() }
        return text
    }

    /// The range of the word that begins at an index.
    ///
    /// - Parameters:
    ///   - start: The index at which the word begins.
    ///   - isQuoted: Whether the name before it is in quotation marks.
    func word(from start: Int, _ isQuoted: Bool) -> Range<Int> {
        var index = start
        while index < bytes.count, !endsWord(bytes[index]) || isOpeningQuote(index) {
            let byte = bytes[index]
            // After a quoted name, as in JSON, these bytes end a number.
            if isQuoted, ",]}".utf8.contains(byte) { break }
            if byte == UInt8(ascii: "&"), isItem(index + 1) { break }
            // Swift prints an optional string as `Optional("…")`.
            index = isOpeningQuote(index) ? afterQuote(byte, from: index + 1) : index + 1
        }
        return start..<index
    }

    /// Whether the text has `("` here: the start of a string that Swift has printed.
    func isOpeningQuote(_ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "\"") && byte(index - 1) == UInt8(ascii: "(")
    }

    /// Whether another item of a form begins here. If not, the ampersand before it belongs to the
    /// value.
    func isItem(_ index: Int) -> Bool {
        let end = skip(index, while: { SecretName.isNameByte($0) || $0 == UInt8(ascii: "%") })
        return end > index && byte(end) == UInt8(ascii: "=")
    }

    /// The range of a value in quotation marks that have `slashes` backslashes before them.
    func quotedValue(from start: Int, _ quote: UInt8, slashes: Int) -> Range<Int> {
        var index = start
        while index < bytes.count {
            let end = skip(index, while: { $0 == UInt8(ascii: "\\") })
            // A quotation mark with more backslashes is inside the value.
            if byte(end) == quote, end - index <= slashes { return start..<index }
            index = end + 1
        }
        return start..<bytes.count
    }

    /// The index after an object or array, or the end of the text.
    func closingBracket(from start: Int) -> Int {
        var index = start
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: "\""):
                index = afterQuote(UInt8(ascii: "\""), from: index + 1) - 1
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    /// The index after the closing quotation mark, or the end of the text if there is none.
    func afterQuote(_ quote: UInt8, from start: Int) -> Int {
        closingQuote(quote, in: start..<bytes.count).map { $0 + 1 } ?? bytes.count
    }

    /// The index of the closing quotation mark, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - quote: The opening quotation mark.
    ///   - range: Where it may be, from the index after the opening one.
    func closingQuote(_ quote: UInt8, in range: Range<Int>) -> Int? {
        let isShell = quote == UInt8(ascii: "'")
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == quote {
                // A shell writes an apostrophe inside apostrophes as '\''.
                guard isShell, bytes[index...].starts(with: #"'\''"#.utf8) else { return index }
                index += 3
            } else if !isShell, bytes[index] == UInt8(ascii: "\\") {
                index += 1
            }
            index += 1
        }
        return nil
    }

    /// The first index from `start` on whose byte does not match, or the end of the text.
    func skip(_ start: Int, while holds: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, holds(bytes[index]) { index += 1 }
        return index
    }

    /// The byte at an index, or `nil` outside the text.
    func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    /// Whether a byte is a space or a tab.
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a byte is a quotation mark, an apostrophe or a backtick.
    func isQuote(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }
}
