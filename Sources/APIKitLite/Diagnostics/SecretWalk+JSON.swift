import Foundation

extension SecretWalk {
    /// Returns JSON without its secrets, which is again JSON, in the same order and form.
    ///
    /// A string becomes the mark, a number 0, and a Boolean false. In a secret object or array, all
    /// strings and numbers are secret. The text may be incomplete, or have several values.
    package mutating func json(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (result, end) = ([UInt8](), 0)
        for token in tokens(of: bytes) {
            guard let new = replacement(for: token, bytes[token.range]) else { continue }
            result += bytes[end..<token.range.lowerBound] + Array(new.utf8)
            end = token.range.upperBound
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// A key or a value in JSON.
    fileprivate struct Token {
        enum Kind { case key, string, number, other }

        let range: Range<Int>
        let kind: Kind
        /// The key of the value, or of the array that it belongs to.
        let name: String
        /// Whether the value belongs to a secret object or array.
        var isSecret: Bool
    }

    /// An object or array that is not closed.
    fileprivate struct Container {
        let isObject: Bool
        /// The key of the value that comes next. For an array, its own key.
        var key: String
        let isSecret: Bool
        let isSkipped: Bool
        var isBeforeKey: Bool
        /// The values of the keys that name the value beside them, as in JSON Patch (RFC 6902).
        var labels: [String] = []
        /// The indices of the tokens in the member `value`.
        var value: Range<Int>?
    }

    private mutating func tokens(of bytes: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var open: [Container] = []
        var index = 0
        while index < bytes.count {
            let start = index
            index += 1
            switch bytes[start] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = bytes[start] == UInt8(ascii: "{")
                let key = open.last?.key ?? ""
                let isSecret = open.last?.isSecret ?? false || hides(key, nil)
                open.append(
                    Container(
                        isObject: isObject, key: isObject ? "" : key, isSecret: isSecret,
                        isSkipped: open.last.map(isSkipped) ?? false, isBeforeKey: isObject))
                // The container is the value of its key.
                if open.count > 1 { open[open.count - 2].begin(tokens.count) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let closed = open.popLast() else { continue }
                hide(closed.value, labels: closed.labels, in: &tokens, bytes)
                if !open.isEmpty { open[open.count - 1].end(tokens.count) }
            case UInt8(ascii: ","):
                if let last = open.last { open[open.count - 1].isBeforeKey = last.isObject }
            case UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: continue
            case UInt8(ascii: "\""):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + 1, bytes.count)
                add(start..<index, .string)
            default:
                let isNumber = isInNumber(bytes[start])
                while index < bytes.count,
                    isNumber ? isInNumber(bytes[index]) : isOther(bytes[index])
                { index += 1 }
                add(start..<index, isNumber ? .number : .other)
            }
        }
        while let closed = open.popLast() {
            hide(closed.value, labels: closed.labels, in: &tokens, bytes)
        }
        return tokens

        func add(_ range: Range<Int>, _ kind: Token.Kind) {
            let last = open.last
            guard let last, last.isObject, last.isBeforeKey, kind == .string else {
                if let last, isSkipped(last) { return }
                tokens.append(
                    Token(
                        range: range, kind: kind, name: last?.key ?? "",
                        isSecret: last?.isSecret ?? false))
                if let last, last.isObject {
                    open[open.count - 1].begin(tokens.count - 1)
                    open[open.count - 1].end(tokens.count)
                    if kind == .string, Redaction.keysOfNames.contains(last.key.lowercased()) {
                        open[open.count - 1].labels.append(string(bytes[range]))
                    }
                }
                return
            }
            open[open.count - 1].key = string(bytes[range])
            open[open.count - 1].isBeforeKey = false
            tokens.append(Token(range: range, kind: .key, name: "", isSecret: false))
        }
    }

    /// Whether the value that comes next in an object or array is skipped.
    private func isSkipped(_ container: Container) -> Bool {
        container.isSkipped || depth == 0 && skippedKeys.contains(container.key)
    }

    private mutating func hides(_ name: String, _ value: String?) -> Bool {
        redaction.hides(self.name(name), value, isKey: true)
    }

    /// Makes the member `value` of an object secret if a name beside it is, as in
    /// `{"name": "password", "value": "x"}`.
    private mutating func hide(
        _ value: Range<Int>?, labels: [String], in tokens: inout [Token], _ bytes: [UInt8]
    ) {
        guard let value, let first = value.first else { return }
        let text = value.count == 1 ? string(bytes[tokens[first].range]) : nil
        if labels.contains(where: { hides($0, text) }) {
            for index in value { tokens[index].isSecret = true }
        }
    }

    /// Returns the new text of a token, or `nil` if it stays.
    private mutating func replacement(for token: Token, _ bytes: ArraySlice<UInt8>) -> String? {
        let text = string(bytes)
        if token.kind == .key || token.kind == .other && !["true", "false"].contains(text) {
            let shown = redaction.text(text)
            return shown == text ? nil : token.kind == .key ? JSONText.quoted(shown) : shown
        }
        if case .shown = name(token.name), !token.isSecret { return nil }
        let isHidden = token.isSecret && !text.isEmpty || hides(token.name, text)
        switch token.kind {
        case .string:
            let shown = isHidden ? mark(text) : self.text(text)
            return shown == text ? nil : JSONText.quoted(shown)
        case .number:
            if isHidden { _ = mark(text) }
            return text != "0" && (isHidden || redaction.isGiven(text)) ? "0" : nil
        default:
            return text == "true" && hides(token.name, text) ? "false" : nil
        }
    }
}

extension Redaction {
    /// The keys whose values name the member `value` of the same object, as in a list of fields or
    /// in JSON Patch (RFC 6902).
    fileprivate static let keysOfNames: Set<String> = ["name", "key", "path"]
}

extension SecretWalk.Container {
    /// Notes that a value begins with a token.
    fileprivate mutating func begin(_ token: Int) {
        if key.lowercased() == "value" { value = token..<token }
    }

    /// Notes that the value ends before a token.
    fileprivate mutating func end(_ token: Int) {
        if key.lowercased() == "value", let start = value?.lowerBound { value = start..<token }
    }
}

/// Returns the text of a token. That of a string is without its escapes.
private func string(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.first == UInt8(ascii: "\"") else { return String(decoding: bytes, as: UTF8.self) }
    let isWhole = bytes.count > 1 && bytes.last == UInt8(ascii: "\"")
    if bytes.contains(UInt8(ascii: "\\")),
        let text = try? JSONText.read(Data(bytes) + (isWhole ? "" : "\"").utf8) as? String
    {
        return text
    }
    return String(decoding: bytes.dropFirst().dropLast(isWhole ? 1 : 0), as: UTF8.self)
}

private func isInNumber(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || "+-.eE".utf8.contains(byte)
}

/// Whether a byte is neither a space nor the beginning or end of anything else.
private func isOther(_ byte: UInt8) -> Bool { !" \t\r\n,:{}[]\"".utf8.contains(byte) }
