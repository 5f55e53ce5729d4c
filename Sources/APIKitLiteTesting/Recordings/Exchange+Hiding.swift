import APIKitLite
import Foundation

/// A text to edit, with the positions at which its pieces end.
private struct EditedText {
    var bytes: [UInt8]
    var ends: [Int] = []

    /// Replaces ranges. If two ranges overlap, the first one counts. If a piece ends inside a
    /// range, it then ends with the replacement.
    mutating func replace(_ edits: [(range: Range<Int>, text: String)]) {
        var result: [UInt8] = []
        var newEnds: [Int] = []
        var position = 0
        for edit in edits where edit.range.lowerBound >= position {
            newEnds += ends.dropFirst(newEnds.count).prefix { $0 <= edit.range.lowerBound }
                .map { [position, count = result.count] in $0 - position + count }
            result += bytes[position..<edit.range.lowerBound] + Array(edit.text.utf8)
            position = edit.range.upperBound
            let inside = ends.dropFirst(newEnds.count).prefix { $0 < edit.range.upperBound }
            newEnds += inside.map { [count = result.count] _ in count }
        }
        newEnds += ends.dropFirst(newEnds.count)
            .map { [position, count = result.count] in $0 - position + count }
        bytes = result + bytes[position...]
        ends = newEnds
    }
}

extension HTTPArchive.Exchange {
    /// A text of an exchange that may contain secrets.
    private enum Part {
        case url
        case header(String)
        case body(contentType: String?)
    }

    /// Replaces the values that have secret names.
    mutating func hideNamed(with placeholders: inout Placeholders) {
        edit { part, text in
            let values = Self.namedValues(in: text.bytes, of: part)
            for password in values.compactMap(\.basicPassword) {
                placeholders.add(password, label: "the password of Basic authentication")
            }
            text.replace(
                values.sorted { $0.range.lowerBound < $1.range.lowerBound }.compactMap { value in
                    placeholders.replacement(for: value).map { (value.range, $0) }
                })
        }
    }

    /// Replaces the secrets wherever else they occur in texts. A body that is not text is
    /// unchanged: `SecretSearch` finds its secrets.
    mutating func hideElsewhere(with placeholders: inout Placeholders) {
        edit { _, text in
            if exactText(text.bytes) != nil {
                text.replace(placeholders.occurrences(in: text.bytes))
            }
        }
    }

    /// Edits all texts of the exchange.
    private mutating func edit(_ edit: (Part, inout EditedText) -> Void) {
        func edited(_ text: String, _ part: Part) -> String {
            var text = EditedText(bytes: Array(text.utf8))
            edit(part, &text)
            return String(decoding: text.bytes, as: UTF8.self)
        }
        func edited(_ url: URL?) -> URL? {
            url.map { URL(string: edited($0.absoluteString, .url)) ?? $0 }
        }
        request.url = edited(request.url)
        let requestType = request.value(forHTTPHeaderField: "Content-Type")
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            request.setValue(edited(value, .header(name)), forHTTPHeaderField: name)
        }
        if let body = request.httpBody {
            var text = EditedText(bytes: Array(body))
            edit(.body(contentType: requestType), &text)
            request.httpBody = Data(text.bytes)
        }
        guard let response else { return }
        let contentType = response.value(forHTTPHeaderField: "Content-Type")
        var fields = response.headerFields
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            fields[name] = edited(value, .header(name))
        }
        var ends: [Int] = []
        for piece in pieces { ends.append((ends.last ?? 0) + piece.data.count) }
        let size = body.count
        var text = EditedText(bytes: Array(body), ends: ends)
        edit(.body(contentType: contentType), &text)
        let starts = [0] + text.ends.dropLast()
        pieces = zip(zip(starts, text.ends), pieces).compactMap { bounds, piece in
            let data = Data(text.bytes[bounds.0..<bounds.1])
            return data.isEmpty ? nil : SentPiece(data: data, time: piece.time)
        }
        if let name = fields.keys.first(where: { $0.lowercased() == "content-length" }),
            fields[name] == "\(size)"
        {
            fields[name] = "\(text.bytes.count)"
        }
        self.response = HTTPURLResponse(
            url: edited(response.url) ?? .unnamed, statusCode: response.statusCode,
            httpVersion: "HTTP/1.1", headerFields: fields)
    }

    private static func namedValues(in text: [UInt8], of part: Part) -> [NamedValue] {
        switch part {
        case .url: return NamedValue.items(in: text)
        case .header(let name): return NamedValue.header(name, text)
        case .body(let type):
            if let multipart = try? MultipartBody(Data(text), contentType: type) {
                return NamedValue.parts(multipart, in: text)
            }
            guard exactText(text) != nil else { return [] }
            let isForm = mediaType(type) == NamedItem.formType
            return NamedValue.items(in: text, isForm: isForm) + NamedValue.json(in: text)
        }
    }
}

extension NamedValue {
    /// The password of a Basic `Authorization` (RFC 7617).
    fileprivate var basicPassword: String? {
        guard name.lowercased().hasSuffix("authorization"), let data = Data(base64Encoded: value)
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }

    /// Returns the values in a header: those of cookies, a credential without its scheme, and the
    /// items of URLs.
    fileprivate static func header(_ name: String, _ text: [UInt8]) -> [NamedValue] {
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
                return value(from: start, to: start + pair.utf8[mark...].count - 1)
            }
        case let name where name.hasSuffix("authorization"):
            let space = text.firstIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
            return [value(from: space, to: text.count)]
        default:
            return [value(from: 0, to: text.count)] + items(in: text)
        }
    }

    /// Returns the contents of the parts of a form.
    fileprivate static func parts(_ body: MultipartBody, in text: [UInt8]) -> [NamedValue] {
        body.parts.compactMap { part in
            let content = Array("\r\n\r\n".utf8) + part.data + Array("\r\n--".utf8)
            guard let value = exactText(part.data), let found = text.firstRange(of: content) else {
                return nil
            }
            return NamedValue(
                kind: "part", name: part.name, value: value,
                range: found.lowerBound + 4..<found.upperBound - 4, encoding: .plain)
        } + json(in: text)
    }
}
