import APIKitLite
import Foundation

/// The walk over the named values of texts, by which secrets are hidden and found.
final class ValueWalk {
    let redaction: Redaction

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    /// A name, with what takes long to find out about it.
    private struct Name {
        let text: String
        /// Whether there are values that it makes secret.
        let mayBeSecret: Bool
        /// Whether it makes an object or an array secret.
        let hidesAll: Bool
        /// The text in small letters.
        let folded: String
    }

    private var names: [String: Name] = [:]

    private func name(_ text: String) -> Name {
        if let known = names[text] { return known }
        let name = Name(
            text: text, mayBeSecret: redaction.hides(text, nil),
            hidesAll: redaction.hides(text, nil, isKey: true), folded: text.lowercased())
        names[text] = name
        return name
    }

    /// Whether a value is a secret because of its name. A placeholder is hidden already, and a mark
    /// of a template, such as `$`, is none.
    func hides(_ value: NamedValue) -> Bool {
        guard name(value.name).mayBeSecret || value.isInSecret,
            value.value.contains(where: { !"${}%<>".contains($0) }),
            !["true", "false", "null"].contains(value.value), !redaction.shows(value.name),
            !Placeholder.isWhole(value.value)
        else { return false }
        let isJSON = value.encoding == .json || value.encoding == .jsonNumber
        return value.isInSecret || redaction.hides(value.name, value.value, isKey: isJSON)
    }

    /// Whether a text is a secret because of its key.
    func hides(_ text: String, ofKey key: String) -> Bool {
        name(key).mayBeSecret && redaction.hides(key, text, isKey: true)
    }

    /// Returns the edits that replace named values in a text, also in a URL or in JSON that is such
    /// a value.
    ///
    /// - Parameter replacement: Returns what replaces a value; nil if it remains.
    func edits(
        of text: [UInt8], at place: TextPlace, _ replacement: (NamedValue) -> String?
    ) -> [EditedText.Edit] {
        var edits: [EditedText.Edit] = []
        var end = 0
        let values = values(in: text, at: place)
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        for value in values where value.range.lowerBound >= end {
            let new = replacement(value) ?? innerText(of: value, replacement)
            if let new { edits.append((value.range, value.written(new))) }
            if new != nil || value.encoding == .json { end = value.range.upperBound }
        }
        return edits
    }

    /// Returns a value with the named values in it replaced; nil if there are none.
    private func innerText(
        of value: NamedValue, _ replacement: (NamedValue) -> String?
    ) -> String? {
        // Without these bytes, nothing in it has a name.
        guard value.encoding != .plain, value.value.utf8.contains(where: "=@{[%".utf8.contains)
        else { return nil }
        var inner = EditedText(bytes: Array(value.value.utf8))
        let edits = edits(of: inner.bytes, at: .plain, replacement)
        inner.replace(edits)
        if !edits.isEmpty { return String(decoding: inner.bytes, as: UTF8.self) }
        let decoded = PercentEncoding.decode(value.value)
        guard value.encoding == .percent, decoded != value.value else { return nil }
        let again = NamedValue(
            kind: value.kind, name: "", value: decoded, range: value.range,
            encoding: value.encoding)
        return innerText(of: again, replacement).map(value.written)
    }

    /// Returns the named values in a text. Of those in JSON, only such that may be secrets, or may
    /// contain some, or overlap one of the given ranges, which are in order.
    func values(in text: [UInt8], at place: TextPlace, near ranges: [Range<Int>] = [])
        -> [NamedValue]
    {
        switch place {
        case .plain: return items(in: text) + json(in: text, near: ranges)
        case .named(let name): return header(name, text) + json(in: text, near: ranges)
        case .body(let type):
            if let multipart = multipart(text, type) {
                return multipart + items(in: text, isURL: false) + json(in: text, near: ranges)
            }
            guard String(bytes: text, encoding: .utf8) != nil else { return [] }
            // Foundation sends a body without a type as a form.
            let isForm = [nil, NamedItem.formType, "text/plain"].contains(mediaType(type))
            return items(in: text, isURL: false, isForm: isForm) + json(in: text, near: ranges)
        }
    }

    /// Returns the values in a header: those of cookies, a credential without its scheme, and the
    /// items of URLs.
    private func header(_ name: String, _ text: [UInt8]) -> [NamedValue] {
        func value(_ range: Range<Int>) -> NamedValue {
            NamedValue(
                kind: "header", name: name, value: String(decoding: text[range], as: UTF8.self),
                range: range, encoding: .plain)
        }
        switch self.name(name).folded {
        case "cookie", "set-cookie":
            let string = String(decoding: text, as: UTF8.self)
            let cookies =
                name.lowercased() == "cookie" ? string.split(separator: ";") : splitCookies(string)
            return cookies.compactMap { cookie in
                let pair = cookie.utf8.prefix { $0 != UInt8(ascii: ";") }
                guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                let start = string.utf8.distance(from: string.startIndex, to: mark) + 1
                let (end, quote) = (start + pair[mark...].count - 1, UInt8(ascii: "\""))
                // A value in quotation marks is elsewhere without them (RFC 6265, section 4.1.1).
                let isQuoted = end - start > 1 && text[start] == quote && text[end - 1] == quote
                return value(isQuoted ? start + 1..<end - 1 : start..<end)
            }
        case let folded where folded.hasSuffix("authorization"):
            let space = text.firstIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
            return [value(space..<text.count)]
        default: return [value(0..<text.count)] + items(in: text)
        }
    }

    /// Returns the contents of the parts of a form; nil if the body is none. Its lines may end with
    /// LF alone.
    private func multipart(_ text: [UInt8], _ type: String?) -> [NamedValue]? {
        guard mediaType(type) == "multipart/form-data" else { return nil }
        var body = try? MultipartBody(Data(text), contentType: type)
        let (lf, crLF) = (Array("\n".utf8), Array("\r\n".utf8))
        let isLF = body == nil
        if isLF {
            body = try? MultipartBody(Data(text.replacing(lf, with: crLF)), contentType: type)
        }
        var rest = text[...]
        return body?.parts.compactMap { part in
            let data = isLF ? Array(part.data).replacing(crLF, with: lf) : Array(part.data)
            let line = isLF ? lf : crLF
            guard let found = rest.firstRange(of: line + line + data + line + Array("--".utf8))
            else { return nil }
            let start = found.lowerBound + 2 * line.count
            rest = rest[(start + data.count)...]
            guard let value = exactText(data) else { return nil }
            return NamedValue(
                kind: "part", name: part.name, value: value, range: start..<start + data.count,
                encoding: .plain)
        }
    }

    /// Returns the values of all items in a text, such as `token=abc` after `?`, `&`, `#` or `;`,
    /// and the user info of all URLs.
    ///
    /// - Parameters:
    ///   - isURL: Whether the text itself may be a URL. In any other text, a URL has a scheme or
    ///     begins with `/`: minified code has other question marks.
    ///   - isForm: Whether the lines of the text may begin with an item.
    private func items(in text: [UInt8], isURL: Bool = true, isForm: Bool = false) -> [NamedValue] {
        var values: [NamedValue] = []
        func add(_ kind: String, _ name: some StringProtocol, _ range: Range<Int>, plus: Bool) {
            let value = Substring(decoding: text[range], as: UTF8.self)
            values.append(
                NamedValue(
                    kind: kind, name: PercentEncoding.decode(name, plusIsSpace: true),
                    value: PercentEncoding.decode(value, plusIsSpace: plus), range: range,
                    encoding: .percent))
        }
        for run in text.runs(isURL ? Self.endsOfURL : Self.endsInText) {
            let path = text[run].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            // A scheme is at the start.
            let scheme = path.prefix(100).firstRange(of: Array("://".utf8))
            if let scheme {
                let authority = path[scheme.upperBound...].prefix { $0 != UInt8(ascii: "/") }
                if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                    add("user info of a URL", "password", authority.startIndex..<at, plus: false)
                }
            }
            let isItems =
                isForm && (run.lowerBound == 0 || text[run.lowerBound - 1] == UInt8(ascii: "\n"))
            let isReference = isURL && run.lowerBound == 0 || path.first == UInt8(ascii: "/")
            guard isItems || isReference || scheme != nil else { continue }
            // What follows a semicolon belongs to its segment of the path (RFC 3986, section 3.3).
            let parameters = path.split(separator: UInt8(ascii: "/"))
                .flatMap { $0.split(separator: UInt8(ascii: ";")).dropFirst() }
            let others = text[path.endIndex..<run.upperBound].split { "?#".utf8.contains($0) }
            for (name, value) in ((isItems ? [path] : parameters) + others).flatMap(queryItems) {
                guard let value else { continue }
                let name = Substring(decoding: name, as: UTF8.self)
                add(isForm ? "form field" : "query item", name, value.indices, plus: true)
            }
        }
        return values
    }

    /// Whether a byte, by its value, cannot be a part of a URL.
    private static let endsOfURL = (0...255).map { $0 <= 0x20 || "\"<>\\".utf8.contains($0) }
    /// Whether a byte ends a URL in another text, such as HTML or code.
    private static let endsInText = (0...255).map {
        endsOfURL[Int($0)] || "'`{}()|^".utf8.contains($0)
    }

    /// An object or array of JSON that is open.
    private struct Container {
        let isObject: Bool
        let isSecret: Bool
        /// In an object, the key of its next value; for an array, the key of the array itself.
        var key: Name
        /// The value of a member such as `name`, which names the member `value`.
        var label: String?
        /// The index of the member `value`, if it came before its name.
        var unnamed: Int?
    }

    /// Returns strings and numbers of all JSON objects and arrays in a text, such as a JSON body,
    /// lines of JSON, or the data of events.
    private func json(in text: [UInt8], near ranges: [Range<Int>]) -> [NamedValue] {
        var values: [NamedValue] = []
        var open: [Container] = []
        var ranges = ranges[...]
        func add(_ range: Range<Int>, _ encoding: NamedValue.Encoding, _ hasMarks: Bool = false) {
            let last = open.count - 1
            let (key, isSecret) = (open[last].key, open[last].isSecret)
            let isValue = key.folded == "value"
            let isLabel = Redaction.keysOfNames.contains(key.folded)
            let name = isValue ? self.name(open[last].label ?? key.text) : key
            ranges = ranges.drop { $0.upperBound <= range.lowerBound }
            let isWanted =
                name.mayBeSecret || isSecret || isValue || isLabel || hasMarks
                || ranges.first?.overlaps(range) ?? false
            guard isWanted else { return }
            let value =
                encoding == .json
                ? text.decodedString(range, hasMarks) : String(decoding: text[range], as: UTF8.self)
            values.append(
                NamedValue(
                    kind: "JSON key", name: name.text, value: value, range: range,
                    encoding: encoding, isInSecret: isSecret))
            if isValue, open[last].label == nil { open[last].unnamed = values.count - 1 }
            // A name counts more than a path.
            if isLabel, key.folded != "path" || open[last].label == nil {
                open[last].label = value
                if let index = open[last].unnamed { values[index].name = value }
            }
        }
        let (quote, comma, colon) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"))
        let (object, array) = (UInt8(ascii: "{"), UInt8(ascii: "["))
        let (endOfObject, endOfArray) = (UInt8(ascii: "}"), UInt8(ascii: "]"))
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            // The last byte that is no space: a string after anything else is code, not JSON.
            var last: UInt8 = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if byte <= 0x20 { continue }
                defer { last = byte }
                if byte == object || byte == array {
                    // Foundation reads no deeper JSON, so this is none.
                    if open.count == 512 { open.removeAll() }
                    let key = open.last?.key ?? name("")
                    let isSecret = open.last?.isSecret ?? false || key.hidesAll
                    open.append(
                        Container(isObject: byte == object, isSecret: isSecret, key: key))
                } else if open.isEmpty {
                    continue
                } else if byte == endOfObject || byte == endOfArray {
                    open.removeLast()
                } else if byte == quote {
                    guard let end = text.endOfString(from: index) else { continue }
                    let range = index - 1..<end.index
                    index = end.index
                    let isObject = open[open.count - 1].isObject
                    if last == colon || !isObject && (last == array || last == comma) {
                        add(range, .json, end.hasMarks)
                    } else if isObject, last == object || last == comma {
                        open[open.count - 1].key = name(text.decodedString(range, end.hasMarks))
                    }
                } else if byte == 0x2D || byte >= 0x30 && byte <= 0x39 {
                    let start = index - 1
                    while index < bytes.count, "+-.0123456789eE".utf8.contains(bytes[index]) {
                        index += 1
                    }
                    if last == colon || last == array || last == comma {
                        add(start..<index, .jsonNumber)
                    }
                }
            }
        }
        return values
    }
}

// Loops over a buffer, because those over an array take many times longer in a debug build.
extension [UInt8] {
    /// Returns the runs of bytes, without those that end a run, that contain `=` or `@`.
    fileprivate func runs(_ ends: [Bool]) -> [Range<Int>] {
        withUnsafeBufferPointer { bytes in
            var runs: [Range<Int>] = []
            var (start, index, hasMark) = (0, 0, false)
            while index <= bytes.count {
                if index == bytes.count || ends[Int(bytes[index])] {
                    if hasMark { runs.append(start..<index) }
                    (start, hasMark) = (index + 1, false)
                } else if bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: "@") {
                    hasMark = true
                }
                index += 1
            }
            return runs
        }
    }

    /// Returns the index after the JSON string whose text begins at an index, and whether it may
    /// contain escapes, JSON, or a URL with an item or a user; nil if the line ends first.
    fileprivate func endOfString(from start: Int) -> (index: Int, hasMarks: Bool)? {
        withUnsafeBufferPointer { bytes in
            var (index, hasMarks) = (start, false)
            while index < bytes.count, bytes[index] != 0x0A {
                let byte = bytes[index]
                if byte == 0x22 { return (index + 1, hasMarks) }
                hasMarks = hasMarks || Self.marks[Int(byte)]
                index += byte == 0x5C ? 2 : 1
            }
            return nil
        }
    }

    private static let marks = (0...255).map { "=@{[\\".utf8.contains($0) }

    fileprivate func decodedString(_ range: Range<Int>, _ hasMarks: Bool) -> String {
        if hasMarks, let text = try? JSONText.read(Data(self[range])) {
            return text as? String ?? ""
        }
        return String(decoding: self[range].dropFirst().dropLast(), as: UTF8.self)
    }
}
