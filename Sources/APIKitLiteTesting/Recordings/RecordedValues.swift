import APIKitLite
import Foundation

/// The texts that live requests have in place of the placeholders of an archive.
///
/// A placeholder in a recorded request stands for any text of the live request. The same placeholder
/// in an answer becomes that text.
struct RecordedValues: Sendable {
    /// The text in place of a placeholder.
    private struct Value {
        let text: String
        /// The text as a JSON literal; nil outside JSON.
        let json: String?
        /// Whether the placeholder replaces a number.
        let isNumber: Bool

        func literal(isNumber: Bool) -> String {
            if isNumber == self.isNumber, let json { return json }
            let number = isNumber ? try? JSONValue(Data(text.utf8)) : nil
            return if case .number = number { text } else { JSONText.quoted(text) }
        }
    }

    /// The texts by the numbers of their placeholders.
    private var values: [String: Value] = [:]

    init() {}

    /// Takes from a live request what it has in place of the placeholders of a recorded one.
    init(from recorded: URLRequest, _ request: URLRequest) {
        self.init(from: recorded, RequestReading(RecordedRequest(request: request)))
    }

    /// Does the same for a request that is read already.
    init(from recorded: URLRequest, _ live: RequestReading) {
        for (name, pattern) in recorded.allHTTPHeaderFields ?? [:] {
            if let text = live.request.value(forHTTPHeaderField: name) { add(text, for: pattern) }
        }
        var texts = Dictionary(grouping: ReplayParts(live).parts, by: \.place).mapValues { $0[...] }
        for pattern in ReplayParts(recorded).parts {
            if let part = texts[pattern.place]?.popFirst() {
                add(part.text, for: pattern.text, json: part.json)
            }
        }
    }

    /// Adds the parts of a text that are in the places of the placeholders.
    private mutating func add(_ text: String, for pattern: String, json: String? = nil) {
        let placeholders = Placeholder.all(in: pattern)
        guard let first = placeholders.first else { return }
        let start = pattern[..<first.range.lowerBound]
        guard text.hasPrefix(start) else { return }
        var rest = text.dropFirst(start.count)
        for (index, placeholder) in placeholders.enumerated() {
            let isLast = index + 1 == placeholders.count
            let end = isLast ? pattern.endIndex : placeholders[index + 1].range.lowerBound
            let literal = pattern[placeholder.range.upperBound..<end]
            let bounds =
                isLast
                ? rest.hasSuffix(literal) ? rest.dropLast(literal.count).endIndex : nil
                : rest.dropFirst().range(of: literal)?.lowerBound
            guard let bounds, bounds > rest.startIndex else { return }
            let part = String(rest[..<bounds])
            rest = rest[bounds...].dropFirst(literal.count)
            let isWhole = placeholder.range == pattern.startIndex..<pattern.endIndex
            values[placeholder.number] = Value(
                text: part, json: isWhole ? json : nil, isNumber: placeholder.isNumber)
        }
    }

    /// Adds other values, and returns all. For the same placeholder, the new value counts.
    mutating func adding(_ other: RecordedValues) -> RecordedValues {
        values.merge(other.values) { $1 }
        return self
    }

    /// Returns a text whose placeholders are replaced by their known values.
    ///
    /// A placeholder in quotation marks becomes a JSON literal: what the request has in place of
    /// the same placeholder; otherwise a number in place of a number, and a string in place of a
    /// string. Without a known value, `REDACTED-NUMBER-2` becomes 2.
    ///
    /// - Parameter encode: The encoding of a value in the text.
    func filled(_ text: String, encode: (String) -> String = { $0 }) -> String {
        Placeholder.replacing(in: text) { placeholder in
            let range = placeholder.range
            let before = text[..<range.lowerBound].last
            let after = text[range.upperBound...].first
            let value = values[placeholder.number]
            if before == "\"", after == "\"" {
                let unknown = placeholder.isNumber ? placeholder.number : "\"\(text[range])\""
                let literal = value?.literal(isNumber: placeholder.isNumber) ?? unknown
                let start = text.index(before: range.lowerBound)
                return (literal, start..<text.index(after: range.upperBound))
            }
            return (value.map { encode($0.text) } ?? String(text[range]), range)
        }
    }

    /// Returns a recorded request as it would be with these values.
    func filled(_ recorded: URLRequest) -> URLRequest {
        var request = recorded
        let url = recorded.url?.absoluteString ?? ""
        request.url = URL(string: filled(url, encode: PercentEncoding.pathValue.encode))
        for (name, value) in recorded.allHTTPHeaderFields ?? [:] {
            request.setValue(filled(value), forHTTPHeaderField: name)
        }
        request.httpBody = recorded.httpBody.map { body in
            guard let text = exactText(body) else { return body }
            let type = mediaType(recorded.value(forHTTPHeaderField: "Content-Type"))
            return Data(
                filled(text) {
                    switch type {
                    case formMediaType: PercentEncoding.form.encode($0)
                    case "multipart/form-data": $0
                    default: JSONText.escaped($0)
                    }
                }.utf8)
        }
        return request
    }

    /// Returns a recorded response as it would be with these values.
    func filled(_ recorded: MockResponse) -> MockResponse {
        var response = recorded
        response.fields = response.fields.mapValues { filled($0) }
        // A piece may begin or end inside a character: only its text is decoded.
        response.pieces = response.pieces.map { chunk in
            guard Placeholder.mayBe(in: chunk) else { return chunk }
            let start = chunk.prefix { $0 & 0xC0 == 0x80 }
            let rest = chunk.dropFirst(start.count)
            let end = (0..<4).first { exactText(rest.dropLast($0)) != nil } ?? 4
            guard let text = exactText(rest.dropLast(end)) else { return chunk }
            let new = filled(text) { JSONText.escaped($0) }
            return start + Data(new.utf8) + rest.suffix(end)
        }
        return response
    }
}
