import Foundation

extension SecretWalk {
    /// An object or array that is still open.
    private struct Container {
        var isObject = false
        /// The key of the next value. For an array, the key of the array.
        var key = ""
        /// Whether all strings and numbers in the container are secret.
        var isSecret = false
        var isBeforeKey = false
    }

    /// Returns JSON without its secrets, as JSON in the same order and form.
    ///
    /// A secret string becomes a mark, a secret number becomes 0, and a secret Boolean becomes
    /// `false`. In a secret object or array, all strings and numbers are secret. The text may be
    /// incomplete, or contain several values.
    ///
    /// - Parameter path: The path to this text in the JSON that contains it. The keys of the path
    ///   may make the text secret.
    mutating func json(_ text: String, below path: [any CodingKey] = []) -> String {
        let bytes = Array(text.utf8)
        var (result, end) = ([UInt8](), 0)
        var outer = Container()
        for step in path {
            outer.isSecret = outer.isSecret || hides(outer.key, nil, isKey: true)
            if step.index == nil { outer.key = step.stringValue }
        }
        var open = [outer]
        var index = 0
        while index < bytes.count {
            let token = index..<endOfToken(at: index, in: bytes)
            index = token.upperBound
            let outer = open[open.count - 1]
            var new: String?
            switch bytes[token.lowerBound] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = bytes[token.lowerBound] == UInt8(ascii: "{")
                open.append(
                    Container(
                        isObject: isObject, key: isObject ? "" : outer.key,
                        isSecret: outer.isSecret || hides(outer.key, nil, isKey: true),
                        isBeforeKey: isObject))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if open.count > 1 { open.removeLast() }
            case UInt8(ascii: ","):
                open[open.count - 1].isBeforeKey = outer.isObject
            case UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                continue
            case UInt8(ascii: "\"") where outer.isBeforeKey:
                let key = string(bytes[token])
                open[open.count - 1].key = key
                open[open.count - 1].isBeforeKey = false
                let shown = redaction.text(key)
                new = shown == key ? nil : JSONText.write(shown)
            default:
                new = replacement(for: bytes[token], in: outer)
            }
            if let new {
                result += bytes[end..<token.lowerBound] + Array(new.utf8)
                end = index
            }
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns the replacement for a string, a number or another value, or `nil` if the value is
    /// unchanged.
    private mutating func replacement(
        for token: ArraySlice<UInt8>, in outer: Container
    ) -> String? {
        let text = string(token)
        if isShown(outer.key), !outer.isSecret { return nil }
        let isHidden = outer.isSecret && !text.isEmpty || hides(outer.key, text, isKey: true)
        if token.first == UInt8(ascii: "\"") {
            let shown = isHidden ? mark(text) : self.text(text)
            return shown == text ? nil : JSONText.write(shown)
        }
        if numberBytes[Int(token[token.startIndex])] {
            if isHidden { collect([text]) }
            return isHidden || redaction.isGiven(text) ? "0" : nil
        }
        if text == "true" { return hides(outer.key, text, isKey: true) ? "false" : nil }
        // A word that is not JSON may be a string without quotation marks.
        let isWord = isHidden && text != "false" && text != "null"
        let shown = isWord ? mark(text) : redaction.text(text)
        return shown == text ? nil : shown
    }
}

/// Returns the index after a token: a string, a number, a word such as `true`, or one delimiter.
func endOfToken(at start: Int, in bytes: [UInt8]) -> Int {
    if bytes[start] == UInt8(ascii: "\"") {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }
    if delimiters[Int(bytes[start])] { return start + 1 }
    let isNumber = numberBytes[Int(bytes[start])]
    let end = bytes[start...].firstIndex { byte in
        isNumber ? !numberBytes[Int(byte)] : delimiters[Int(byte)]
    }
    return end ?? bytes.count
}

/// Returns the text of each token of JSON.
func tokens(of json: Data) -> [String] {
    let bytes = Array(json)
    let ends = sequence(first: 0) { $0 < bytes.count ? endOfToken(at: $0, in: bytes) : nil }
    return zip(ends, ends.dropFirst()).map { String(decoding: bytes[$0..<$1], as: UTF8.self) }
}

/// Returns a token's text. For a string, removes the quotation marks and decodes the escapes.
func string(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.first == UInt8(ascii: "\"") else { return String(decoding: bytes, as: UTF8.self) }
    let isWhole = bytes.count > 1 && bytes.last == UInt8(ascii: "\"")
    let text = String(decoding: bytes.dropFirst().dropLast(isWhole ? 1 : 0), as: UTF8.self)
    guard bytes.contains(UInt8(ascii: "\\")) else { return text }
    // A cut string has no quotation mark at its end, and may end within an escape.
    let whole = Data(bytes) + Data((isWhole ? "" : "\"").utf8)
    return (try? JSONText.read(whole)) as? String ?? text.replacing(/\\(.)/) { $0.output.1 }
}

private let numberBytes = byteTable("0123456789+-.eE")
/// White space, quotation marks and punctuation: the bytes that end a word.
private let delimiters = byteTable(" \t\r\n,:{}[]\"")
