import Foundation

extension SecretWalk {
    /// An object or array that is still open.
    private struct Container {
        var isObject = false
        /// The key of the next value. For an array, the key of the array.
        var key = ""
        /// Whether all its strings and numbers are secret.
        var isSecret = false
        var isSkipped = false
        var isBeforeKey = false
    }

    /// Returns JSON without its secrets, as JSON in the same order and form.
    ///
    /// A string becomes the mark, a number 0, and a Boolean false. In a secret object or array, all
    /// strings and numbers are secret. The text may be incomplete, or contain several values.
    ///
    /// - Parameters:
    ///   - path: The path to this text in the JSON that contains it, whose keys may make it secret.
    ///   - isCut: Whether the text is the beginning of a longer one. The result then omits the last
    ///     tokens and is closed, so that it is JSON.
    package mutating func json(
        _ text: String, below path: [any CodingKey] = [], isCut: Bool = false
    ) -> String {
        let bytes = Array(text.utf8)
        var (result, end) = ([UInt8](), 0)
        var outer = Container()
        for step in path {
            outer.isSecret = outer.isSecret || hides(outer.key, nil, isKey: true)
            if step.index == nil { outer.key = step.stringValue }
        }
        var open = [outer]
        // The last place where the text can be closed, and the state of the result there.
        var closable = (index: 0, count: 0, end: 0)
        var index = 0
        while index < bytes.count {
            let token = index..<endOfToken(at: index, in: bytes)
            index = token.upperBound
            let key = open.last?.key ?? ""
            let isSkipped = open.last?.isSkipped ?? false || depth == 0 && skippedKeys.contains(key)
            var new: String?
            var place: Int?
            switch bytes[token.lowerBound] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = bytes[token.lowerBound] == UInt8(ascii: "{")
                open.append(
                    Container(
                        isObject: isObject, key: isObject ? "" : key,
                        isSecret: open.last?.isSecret ?? false || hides(key, nil, isKey: true),
                        isSkipped: isSkipped, isBeforeKey: isObject))
                place = index
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
                place = index
            case UInt8(ascii: ","):
                place = token.lowerBound
                if let last = open.last { open[open.count - 1].isBeforeKey = last.isObject }
            case UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                continue
            case UInt8(ascii: "\"") where open.last?.isBeforeKey == true:
                let key = string(bytes[token])
                open[open.count - 1].key = key
                open[open.count - 1].isBeforeKey = false
                let shown = redaction.text(key)
                new = shown == key ? nil : JSONText.quoted(shown)
            default:
                let isSecret = open.last?.isSecret ?? false
                new = isSkipped ? nil : replacement(for: bytes[token], key, isSecret: isSecret)
                guard isCut, bytes[token.lowerBound] == UInt8(ascii: "\"") else { break }
                place = index
                if index == bytes.count { new = new ?? JSONText.quoted(string(bytes[token])) }
            }
            if let new {
                result += bytes[end..<token.lowerBound] + Array(new.utf8)
                end = index
            }
            if let place { closable = (place, result.count, end) }
        }
        if isCut {
            let ends = open.dropFirst().reversed().map { $0.isObject ? "}" : "]" }
            let rest = bytes[closable.end..<closable.index] + Array(ends.joined().utf8)
            return String(decoding: result[..<closable.count] + rest, as: UTF8.self)
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns the replacement for a string, a number or another value, or `nil` if unchanged.
    private mutating func replacement(
        for token: ArraySlice<UInt8>, _ key: String, isSecret: Bool
    ) -> String? {
        let text = string(token)
        if isShown(key), !isSecret { return nil }
        let isHidden = isSecret && !text.isEmpty || hides(key, text, isKey: true)
        if token.first == UInt8(ascii: "\"") {
            let shown = isHidden ? mark(text) : self.text(text)
            return shown == text ? nil : JSONText.quoted(shown)
        }
        if numberBytes[Int(token[token.startIndex])] {
            if isHidden { collect([text]) }
            return isHidden || redaction.isGiven(text) ? "0" : nil
        }
        if text == "true" { return hides(key, text, isKey: true) ? "false" : nil }
        // A word that is not JSON may be a string without quotation marks.
        let isWord = isHidden && text != "false" && text != "null"
        let shown = isWord ? mark(text) : redaction.text(text)
        return shown == text ? nil : shown
    }
}

/// Returns the index after a token: a string, a number, another word, or one character.
func endOfToken(at start: Int, in bytes: [UInt8]) -> Int {
    var index = start + 1
    let isNumber = numberBytes[Int(bytes[start])]
    if bytes[start] == UInt8(ascii: "\"") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }
    guard !delimiters[Int(bytes[start])] else { return index }
    while index < bytes.count,
        isNumber ? numberBytes[Int(bytes[index])] : !delimiters[Int(bytes[index])]
    {
        index += 1
    }
    return index
}

/// Returns a token's text, with a string's escapes decoded.
func string(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.first == UInt8(ascii: "\"") else { return String(decoding: bytes, as: UTF8.self) }
    let isWhole = bytes.count > 1 && bytes.last == UInt8(ascii: "\"")
    let text = String(decoding: bytes.dropFirst().dropLast(isWhole ? 1 : 0), as: UTF8.self)
    guard bytes.contains(UInt8(ascii: "\\")) else { return text }
    // A cut string may end within an escape, or between two escapes that form one character.
    let decoded = (0..<(isWhole ? 1 : 12)).lazy.compactMap { count in
        try? JSONText.read(Data(bytes.dropLast(count)) + (isWhole ? "" : "\"").utf8) as? String
    }
    return decoded.first ?? text.replacing(/\\(.)/) { $0.output.1 }
}

private let numberBytes = byteTable("0123456789+-.eE")
/// White space, quotation marks and punctuation: every byte that ends a word or a number.
private let delimiters = byteTable(" \t\r\n,:{}[]\"")
