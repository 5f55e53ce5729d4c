import APIKitLite
import Foundation

/// A text to edit, with the positions at which its pieces end.
struct EditedText {
    var bytes: [UInt8]
    var ends: [Int] = []

    /// Replaces ranges. If two ranges overlap, the first one counts. If a piece ends inside a
    /// range, it then ends with the replacement.
    mutating func replace(_ edits: [(range: Range<Int>, text: String)]) {
        if edits.isEmpty { return }
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
    /// Replaces the values that have secret names.
    mutating func hideNamed(with placeholders: inout Placeholders) {
        edit { place, text in
            let edits = NamedValue.edits(of: text.bytes, at: place) { value in
                placeholders.addName(of: value)
                return value.isHidden(by: placeholders.redaction)
                    ? placeholders.placeholder(for: value) : nil
            }
            text.replace(edits)
        }
    }

    /// Replaces the secrets wherever else they occur in texts. A body that is not text is
    /// unchanged: `SecretSearch` finds its secrets.
    mutating func hideElsewhere(_ index: SecretIndex, with placeholders: inout Placeholders) {
        edit { _, text in
            guard exactText(text.bytes) != nil else { return }
            let found = index.occurrences(in: text.bytes)
            if found.isEmpty { return }
            var numbers = NamedValue.json(in: text.bytes).filter { $0.encoding == .jsonNumber }[...]
            text.replace(
                found.map { found in
                    let placeholder = placeholders.placeholder(for: found.secret)
                    // A part of a number in JSON takes the whole number: the text must remain JSON.
                    numbers = numbers.drop { $0.range.upperBound <= found.range.lowerBound }
                    guard let number = numbers.first, number.range.overlaps(found.range)
                    else { return (found.range, placeholder) }
                    let digits = placeholder.drop { !$0.isNumber }
                    return (number.range, "\"REDACTED-NUMBER-\(digits)\"")
                })
        }
    }

    /// Edits all texts of the exchange.
    private mutating func edit(_ edit: (TextPlace, inout EditedText) -> Void) {
        func edited(_ text: String, _ place: TextPlace) -> String {
            var text = EditedText(bytes: Array(text.utf8))
            edit(place, &text)
            return String(decoding: text.bytes, as: UTF8.self)
        }
        func edited(_ url: URL?) -> URL? {
            url.map { URL(string: edited($0.absoluteString, .plain)) ?? $0 }
        }
        request.url = edited(request.url)
        let requestType = request.value(forHTTPHeaderField: "Content-Type")
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            request.setValue(edited(value, .named(name)), forHTTPHeaderField: name)
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
            fields[name] = edited(value, .named(name))
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
}
