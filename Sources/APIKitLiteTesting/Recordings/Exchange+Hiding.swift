import APIKitLite
import Foundation

/// A text to edit, with the positions at which its pieces end.
struct EditedText {
    typealias Edit = (range: Range<Int>, text: String)

    var bytes: [UInt8]
    var ends: [Int] = []

    /// Replaces ranges, in order. If a piece ends inside a range, it then ends with the replacement.
    mutating func replace(_ edits: [Edit]) {
        if edits.isEmpty { return }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var newEnds: [Int] = []
        var position = 0
        for edit in edits {
            result += bytes[position..<edit.range.lowerBound]
            while newEnds.count < ends.count, ends[newEnds.count] <= edit.range.lowerBound {
                newEnds.append(result.count + ends[newEnds.count] - edit.range.lowerBound)
            }
            result += edit.text.utf8
            position = edit.range.upperBound
            while newEnds.count < ends.count, ends[newEnds.count] < position {
                newEnds.append(result.count)
            }
        }
        result += bytes[position...]
        newEnds += ends.dropFirst(newEnds.count).map { $0 + result.count - bytes.count }
        (bytes, ends) = (result, newEnds)
    }
}

extension HTTPArchive.Exchange {
    /// Replaces the values that have secret names.
    mutating func hideNamed(with placeholders: inout Placeholders) {
        let walk = placeholders.walk
        edit { place, text in
            text.replace(
                walk.edits(of: text.bytes, at: place) { value in
                    walk.hides(value) ? placeholders.placeholder(for: value) : nil
                })
        }
    }

    /// Replaces the secrets wherever else they occur in texts. A body that is not text is
    /// unchanged: the check finds its secrets.
    mutating func hideElsewhere(_ search: SecretSearch, with placeholders: inout Placeholders) {
        let walk = placeholders.walk
        edit { place, text in
            let found = search.occurrences(in: text.bytes)
            if found.isEmpty || String(bytes: text.bytes, encoding: .utf8) == nil { return }
            // In place of a number in JSON, there must be JSON.
            let digits = found.map(\.range).filter {
                text.bytes[$0].allSatisfy { 0x30...0x39 ~= $0 }
            }
            let values = digits.isEmpty ? [] : walk.values(in: text.bytes, at: place, near: digits)
            let numbers = Set(values.filter { $0.encoding == .jsonNumber }.map(\.range))
            text.replace(
                found.map { found in
                    let number = placeholders.number(of: found.secret.value)
                    return (
                        found.range,
                        numbers.contains(found.range)
                            ? "\"REDACTED-NUMBER-\(number)\"" : "REDACTED-\(number)"
                    )
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
        func edited(_ fields: [String: String]) -> [String: String] {
            var fields = fields
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                fields[name] = edited(value, .named(name))
            }
            return fields
        }
        request.url = edited(request.url)
        let requestType = request.value(forHTTPHeaderField: "Content-Type")
        request.allHTTPHeaderFields = edited(request.allHTTPHeaderFields ?? [:])
        if let body = request.httpBody {
            var text = EditedText(bytes: Array(body))
            edit(.body(contentType: requestType), &text)
            request.httpBody = Data(text.bytes)
        }
        guard let response else { return }
        let contentType = response.value(forHTTPHeaderField: "Content-Type")
        var fields = edited(response.headerFields)
        var text = EditedText(bytes: [])
        for piece in pieces {
            text.bytes += piece.data
            text.ends.append(text.bytes.count)
        }
        let size = text.bytes.count
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
