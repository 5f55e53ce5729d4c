import APIKitLite
import Foundation

/// A named value in a text, such as a header or a query item.
struct NamedValue {
    /// The kind of the name, such as `JSON key`.
    let kind: String
    private(set) var name: String
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
        case plain, percent, json, jsonNumber
    }

    /// Whether a redaction hides the value. A placeholder is hidden already.
    func isHidden(by redaction: Redaction) -> Bool {
        if value.isEmpty || ["true", "false", "null"].contains(value) || redaction.shows(name)
            || Placeholder.isWhole(value)
        {
            return false
        }
        return redaction.hides(name, value, isKey: isJSON)
            || outerNames.contains { redaction.hides($0, nil, isKey: true) }
    }

    /// The password of a Basic `Authorization` (RFC 7617), or of the user info of a URL.
    var basicPassword: String? {
        var pair = kind == Self.userInfo ? value : ""
        if name.lowercased().hasSuffix("authorization"), let data = Data(base64Encoded: value) {
            pair = String(decoding: data, as: UTF8.self)
        }
        let parts = pair.split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }

    private static let userInfo = "user info of a URL"

    private var isJSON: Bool { encoding == .json || encoding == .jsonNumber }

    /// Returns another value as it is written in place of this one.
    private func written(_ new: String) -> String {
        switch encoding {
        case .plain: new
        case .percent: PercentEncoding.pathValue.encode(new)
        case .json, .jsonNumber: JSONText.quoted(new)
        }
    }
}

/// A place at which a text may contain named values.
enum TextPlace {
    /// A URL, or a text without a name.
    case plain
    /// The value of a header or of a field.
    case named(String)
    case body(contentType: String?)
}

extension NamedValue {
    /// Returns the edits that replace named values in a text, also in a URL or in JSON that is such
    /// a value.
    ///
    /// - Parameter replacement: Returns what replaces a value; nil if it remains.
    static func edits(
        of text: [UInt8], at place: TextPlace, _ replacement: (NamedValue) -> String?
    ) -> [(range: Range<Int>, text: String)] {
        var edits: [(range: Range<Int>, text: String)] = []
        var end = 0
        let values = all(in: text, at: place).sorted { $0.range.lowerBound < $1.range.lowerBound }
        for value in values where value.range.lowerBound >= end {
            let new = replacement(value)
            if new != nil || value.encoding == .json { end = value.range.upperBound }
            if let new {
                edits.append((value.range, value.written(new)))
            } else if let inner = value.innerText(replacement) {
                edits.append((value.range, value.written(inner)))
                end = value.range.upperBound
            }
        }
        return edits
    }

    /// Returns the value with the named values in it replaced; nil if there are none.
    private func innerText(_ replacement: (NamedValue) -> String?) -> String? {
        // Without these bytes, nothing in it has a name.
        guard encoding != .plain, value.utf8.contains(where: "=@{[%".utf8.contains) else {
            return nil
        }
        var inner = EditedText(bytes: Array(value.utf8))
        let edits = Self.edits(of: inner.bytes, at: .plain, replacement)
        inner.replace(edits)
        if !edits.isEmpty { return String(decoding: inner.bytes, as: UTF8.self) }
        let decoded = PercentEncoding.decode(value)
        guard encoding == .percent, decoded != value else { return nil }
        let again = NamedValue(
            kind: kind, name: "", value: decoded, range: range, encoding: encoding)
        return again.innerText(replacement).map(written)
    }

    private static func all(in text: [UInt8], at place: TextPlace) -> [NamedValue] {
        switch place {
        case .plain: return items(in: text) + json(in: text)
        case .named(let name): return header(name, text)
        case .body(let type):
            if let multipart = try? MultipartBody(Data(text), contentType: type) {
                return parts(multipart, in: text)
            }
            guard exactText(text) != nil else { return [] }
            // Foundation sends a body without a type as a form.
            let isForm = [nil, NamedItem.formType].contains(mediaType(type))
            return items(in: text, isForm: isForm) + json(in: text)
        }
    }

    /// Returns the values in a header: those of cookies, a credential without its scheme, and the
    /// items of URLs.
    private static func header(_ name: String, _ text: [UInt8]) -> [NamedValue] {
        let folded = name.lowercased()
        let string = String(decoding: text, as: UTF8.self)
        func value(from start: Int, to end: Int) -> NamedValue {
            NamedValue(
                kind: "header", name: name,
                value: String(decoding: text[start..<end], as: UTF8.self),
                range: start..<end, encoding: .plain)
        }
        switch folded {
        case "cookie", "set-cookie":
            let cookies =
                folded == "cookie" ? string.split(separator: ";") : splitCookies(string)
            return cookies.compactMap { cookie in
                let pair = cookie.prefix { $0 != ";" }
                guard let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                let start = string.utf8.distance(from: string.startIndex, to: mark) + 1
                let end = start + pair.utf8[mark...].count - 1
                // A value in quotation marks is elsewhere without them (RFC 6265, section 4.1.1).
                let quote = UInt8(ascii: "\"")
                let isQuoted = end - start > 1 && text[start] == quote && text[end - 1] == quote
                return isQuoted ? value(from: start + 1, to: end - 1) : value(from: start, to: end)
            }
        case let name where name.hasSuffix("authorization"):
            let space = text.firstIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
            return [value(from: space, to: text.count)]
        default:
            return [value(from: 0, to: text.count)] + all(in: text, at: .plain)
        }
    }

    /// Returns the contents of the parts of a form.
    private static func parts(_ body: MultipartBody, in text: [UInt8]) -> [NamedValue] {
        var rest = text[...]
        return body.parts.compactMap { part in
            let content = Array("\r\n\r\n".utf8) + part.data + Array("\r\n--".utf8)
            guard let found = rest.firstRange(of: content) else { return nil }
            rest = rest[(found.upperBound - 4)...]
            guard let value = exactText(part.data) else { return nil }
            return NamedValue(
                kind: "part", name: part.name, value: value,
                range: found.lowerBound + 4..<found.upperBound - 4, encoding: .plain)
        } + all(in: text, at: .plain)
    }

    /// Returns the values of all items in a text, such as `token=abc` after `?`, `&` or `#`, and the
    /// user info of all URLs.
    ///
    /// - Parameter isForm: Whether the text begins with an item.
    private static func items(in text: [UInt8], isForm: Bool = false) -> [NamedValue] {
        var values: [NamedValue] = []
        // Most runs have no item, and the texts may be long.
        for run in text.split(whereSeparator: endsURL) where run.contains(UInt8(ascii: "=")) {
            let parts = run.split(omittingEmptySubsequences: false) { "?#".utf8.contains($0) }
            for (name, value) in parts.flatMap({ queryItems($0) }) {
                // The text before the first mark is no item, except at the start of a form.
                let isItem = name.startIndex > run.startIndex || isForm && run.startIndex == 0
                guard isItem, let value else { continue }
                values.append(
                    NamedValue(
                        kind: isForm ? "form field" : "query item",
                        name: PercentEncoding.decode(name, plusIsSpace: true),
                        value: PercentEncoding.decode(value, plusIsSpace: true),
                        range: value.startIndex..<value.endIndex, encoding: .percent))
            }
        }
        return values + userInfos(in: text)
    }

    /// Whether a byte cannot be a part of a URL in a text.
    private static func endsURL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"):
            true
        default: false
        }
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
                    kind: userInfo, name: "password",
                    value: PercentEncoding.decode(authority[..<at], plusIsSpace: false),
                    range: authority.startIndex..<at, encoding: .percent))
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
            /// The value of a member such as `name`, which names the member `value`.
            var label: String?
            /// The index of the member `value`, if it came before its name.
            var unnamed: Int?
        }
        var values: [NamedValue] = []
        var open: [Container] = []
        var index = 0
        func add(_ value: String, _ range: Range<Int>, _ encoding: Encoding) {
            guard var container = open.popLast() else { return }
            let key = container.key.lowercased()
            values.append(
                NamedValue(
                    kind: "JSON key",
                    name: key == "value" ? container.label ?? container.key : container.key,
                    value: value, range: range, encoding: encoding, outerNames: open.map(\.key)))
            if key == "value", container.label == nil { container.unnamed = values.count - 1 }
            // A name counts more than a path.
            if Redaction.keysOfNames.contains(key), key != "path" || container.label == nil {
                container.label = value
                if let index = container.unnamed { values[index].name = value }
            }
            open.append(container)
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
