import APIKitLite
import Foundation

/// A named value in a text, such as a header or a query item.
struct NamedValue {
    /// The kind of the name, such as `JSON key`.
    let kind: String
    let name: String
    /// The value, decoded.
    let value: String
    /// Where the value is written, with its quotation marks if it is a JSON string.
    let range: Range<Int>
    /// The encoding of the value in the text.
    let encoding: Encoding
    /// The keys of the JSON objects and arrays that contain the value.
    var outerNames: [String] = []

    /// How a value is written.
    enum Encoding {
        case plain, json, jsonNumber
    }

    /// Whether the value is the user and the password in a URL.
    var isUserInfo: Bool { kind == "user info of a URL" }

    /// Whether a redaction hides the value.
    func isHidden(by redaction: Redaction) -> Bool {
        if value.isEmpty || ["true", "false", "null"].contains(value) || redaction.shows(name) {
            return false
        }
        return redaction.hides(name, value, isKey: encoding != .plain)
            || outerNames.contains { redaction.hides($0, nil, isKey: true) }
    }
}

extension NamedValue {
    /// Returns the values of all items in a text, such as `token=abc` after `?`, `&` or `#`, and the
    /// user info of all URLs.
    ///
    /// - Parameter isForm: Whether the text begins with an item.
    static func items(in text: [UInt8], isForm: Bool = false) -> [NamedValue] {
        var values: [NamedValue] = []
        var start: Int? = isForm ? 0 : nil
        var equals: Int?
        func end(at index: Int) {
            guard let first = start, let mark = equals, mark < index else { return }
            let name = PercentEncoding.decode(text[first..<mark], plusIsSpace: true)
            let value = PercentEncoding.decode(text[(mark + 1)..<index], plusIsSpace: true)
            values.append(
                NamedValue(
                    kind: isForm ? "form field" : "query item", name: name, value: value,
                    range: mark + 1..<index, encoding: .plain))
        }
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "="): if equals == nil { equals = index }
            case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"):
                end(at: index)
                (start, equals) = (index + 1, nil)
            case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"):
                end(at: index)
                (start, equals) = (nil, nil)
            default: break
            }
        }
        end(at: text.count)
        return values + userInfos(in: text)
    }

    private static func userInfos(in text: [UInt8]) -> [NamedValue] {
        var values: [NamedValue] = []
        var rest = text[...]
        while let scheme = rest.firstRange(of: Array("://".utf8)) {
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { $0 > 0x20 && !"/?#\"<>\\".utf8.contains($0) }
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
            values.append(
                NamedValue(
                    kind: "user info of a URL", name: "password",
                    value: PercentEncoding.decode(authority[..<at], plusIsSpace: false),
                    range: authority.startIndex..<at, encoding: .plain))
        }
        return values
    }

    /// Returns the strings and numbers of all JSON objects and arrays in a text, such as a JSON
    /// body, lines of JSON, or the data of events.
    static func json(in text: [UInt8]) -> [NamedValue] {
        /// An object or array that is open.
        struct Container {
            let isObject: Bool
            /// In an object, the key of its next value; for an array, the key of the array itself.
            var key: String
            /// The value of a member `name` or `key`, which names the member `value`.
            var label: String?
        }
        var values: [NamedValue] = []
        var open: [Container] = []
        var index = 0
        func add(_ value: String, _ range: Range<Int>, _ encoding: Encoding) {
            guard var container = open.last else { return }
            let isValue = container.key.lowercased() == "value"
            values.append(
                NamedValue(
                    kind: "JSON key", name: isValue ? container.label ?? "value" : container.key,
                    value: value, range: range, encoding: encoding,
                    outerNames: open.dropLast().map(\.key)))
            if ["name", "key"].contains(container.key.lowercased()) { container.label = value }
            open[open.count - 1] = container
        }
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(
                    Container(isObject: byte == UInt8(ascii: "{"), key: open.last?.key ?? ""))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\"") where !open.isEmpty:
                guard let end = endOfString(in: text, from: index) else { break }
                let string = decodedString(text[index..<end])
                let next = text[end...].firstIndex { $0 > 0x20 }
                if open[open.count - 1].isObject, let next, text[next] == UInt8(ascii: ":") {
                    open[open.count - 1].key = string
                } else {
                    add(string, index..<end, .json)
                }
                index = end - 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                let end = text[index...].firstIndex { !"+-.0123456789eE".utf8.contains($0) }
                let range = index..<(end ?? text.count)
                add(String(decoding: text[range], as: UTF8.self), range, .jsonNumber)
                index = range.upperBound - 1
            default: break
            }
            index += 1
        }
        return values
    }

    /// Returns the index after the string that begins at an index; nil if the line ends first.
    private static func endOfString(in text: [UInt8], from start: Int) -> Int? {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\n"): return nil
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func decodedString(_ literal: ArraySlice<UInt8>) -> String {
        if literal.contains(UInt8(ascii: "\\")), let text = try? JSONText.read(Data(literal)) {
            return text as? String ?? ""
        }
        return String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension PercentEncoding {
    fileprivate static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
        decode(String(decoding: bytes, as: UTF8.self), plusIsSpace: plusIsSpace)
    }
}
