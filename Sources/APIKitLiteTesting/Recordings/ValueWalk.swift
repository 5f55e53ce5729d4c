import APIKitLite
import Foundation

/// The walk over the named values of texts, by which secrets are hidden and found.
final class ValueWalk {
    let redaction: Redaction

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    /// A name, with what takes long to find out about it.
    struct Name {
        let text: String
        /// Whether there are values that it makes secret.
        let mayBeSecret: Bool
        /// Whether it makes an object or an array secret.
        let hidesAll: Bool
        /// The text in small letters.
        let folded: String
    }

    private var names: [String: Name] = [:]

    func name(_ text: String) -> Name {
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
        return value.isInSecret || redaction.hides(value.name, value.value, isKey: value.isJSON)
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
        for value in values(in: text, at: place) where value.range.lowerBound >= end {
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
        guard value.mayContainOthers else { return nil }
        var inner = EditedText(bytes: Array(value.value.utf8))
        inner.replace(edits(of: inner.bytes, at: .plain, replacement))
        let text = String(decoding: inner.bytes, as: UTF8.self)
        return text == value.value ? nil : text
    }

    /// Returns the named values in a text that may be secrets, or may contain some, in order. Of
    /// those in JSON, also such that overlap one of the given ranges, which are in order.
    func values(
        in text: [UInt8], at place: TextPlace, near ranges: [Range<Int>] = []
    ) -> [NamedValue] {
        var values: [NamedValue]
        switch place {
        case .plain: values = items(in: text)
        case .named(let name): values = header(name, text)
        case .body(let type):
            guard String(bytes: text, encoding: .utf8) != nil || isMultipart(type) else {
                return []
            }
            // Foundation sends a body without a type as a form.
            let isForm = [nil, formMediaType, "text/plain"].contains(mediaType(type))
            values = multipart(text, type) + items(in: text, isURL: false, isForm: isForm)
        }
        values += json(in: text, near: ranges)
        return values.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the values in a header: those of cookies, a credential without its scheme, and the
    /// items of URLs.
    private func header(_ name: String, _ text: [UInt8]) -> [NamedValue] {
        func value(_ range: Range<Int>) -> NamedValue {
            NamedValue(
                kind: "header", name: name, value: String(decoding: text[range], as: UTF8.self),
                range: range, encoding: .plain)
        }
        let folded = self.name(name).folded
        if ["cookie", "set-cookie"].contains(folded) {
            let string = String(decoding: text, as: UTF8.self)
            let cookies = folded == "cookie" ? string.split(separator: ";") : splitCookies(string)
            return cookies.compactMap { cookie in
                // Quotation marks around it are not part of the value (RFC 6265, section 4.1.1).
                guard let content = cookie.prefixMatch(of: /[^=;]*=("?)([^;]*?)\1(?:;|$)/)?.output.2
                else {
                    return nil
                }
                let start = string.utf8.distance(from: string.startIndex, to: content.startIndex)
                return value(start..<start + content.utf8.count)
            }
        }
        if folded.hasSuffix("authorization") {
            let space = text.firstIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
            return [value(space..<text.count)]
        }
        return [value(0..<text.count)] + items(in: text)
    }

    private func isMultipart(_ type: String?) -> Bool { mediaType(type) == "multipart/form-data" }

    /// Returns the texts of the parts of a multipart form. Its lines may end with LF alone.
    private func multipart(_ text: [UInt8], _ type: String?) -> [NamedValue] {
        guard isMultipart(type), let boundary = headerParameter("boundary", of: type ?? "") else {
            return []
        }
        let (body, delimiter) = (Data(text), Data("\n--\(boundary)".utf8))
        var values: [NamedValue] = []
        var start = 0
        while let end = body.range(of: delimiter, in: start..<body.count)?.lowerBound {
            let part = start..<end
            start = end + delimiter.count
            let blankLine = ["\r\n\r\n", "\n\n"].lazy.compactMap {
                body.range(of: Data($0.utf8), in: part)
            }.first
            guard let blankLine else { continue }
            let head = String(decoding: body[part.lowerBound..<blankLine.lowerBound], as: UTF8.self)
            let field = head.split(whereSeparator: \.isNewline).first {
                $0.lowercased().hasPrefix("content-disposition:")
            }
            let isCRLF = end > blankLine.upperBound && body[end - 1] == UInt8(ascii: "\r")
            let range = blankLine.upperBound..<(isCRLF ? end - 1 : end)
            guard let name = field.flatMap({ headerParameter("name", of: String($0)) }),
                let value = exactText(body[range])
            else { continue }
            values.append(
                NamedValue(kind: "part", name: name, value: value, range: range, encoding: .plain))
        }
        return values
    }
}
