import APIKitLite
import Foundation

/// The parts of a recorded request. A mark in them matches any text that is not empty.
struct RecordedParts: Sendable {
    fileprivate let headers: [String: String]
    fileprivate let segments: [String]
    fileprivate let query: [NamedItem]
    fileprivate let form: [NamedItem]
    fileprivate let parts: [RecordedPart]
    fileprivate let json: JSONValue?
    fileprivate let text: String?

    init(_ reading: RequestReading) {
        headers = (reading.request.allHTTPHeaderFields ?? [:])
            .filter { $0.value.contains(Redaction.mark) }
        segments = reading.segments
        // A value is first compared with the items that match the fewest values.
        query = reading.query.sorted { $0.breadth < $1.breadth }
        form = (reading.declaredForm ?? []).sorted { $0.breadth < $1.breadth }
        parts = (try? reading.multipart?.get())?.parts ?? []
        json = try? reading.json?.get()
        text = exactText(reading.body)
    }
}

extension RequestReading {
    /// Returns the request with a part of a recorded one in place of each part that it matches. The
    /// other parts are without their secrets.
    ///
    /// So two requests that differ only in marks can be compared as any others, and a text about the
    /// difference shows no secret.
    func marked(as recorded: RecordedParts) -> RequestReading {
        let shown = shown
        var request = shown.request
        for (name, value) in recorded.headers {
            let live = self.request.value(forHTTPHeaderField: name)
            if live.map(value.matches) ?? false {
                request.setValue(value, forHTTPHeaderField: name)
            }
        }
        if let text = recorded.text, let live = exactText(body), let other = exactText(shown.body),
            text.matches(live) || text.matches(other)
        {
            request.httpBody = Data(text.utf8)
        }
        let marked = RequestReading(RecordedRequest(request: request))
        marked.segments =
            segments.count == recorded.segments.count && segments.count == shown.segments.count
            ? zip(recorded.segments, zip(segments, shown.segments)).map { segment, live in
                segment.matches(live.0) || segment.matches(live.1) ? segment : live.1
            } : shown.segments
        marked.query = recorded.query.replacing(query, shown.query) { $0.matches($1) }
        if !recorded.form.isEmpty, let form {
            marked.form = recorded.form.replacing(form, shown.form ?? []) { $0.matches($1) }
        }
        if !recorded.parts.isEmpty, case .success(let live) = multipart,
            case .success(let other) = shown.multipart
        {
            let parts = recorded.parts.replacing(live.parts, other.parts) { $0.matches($1) }
            marked.multipart = .success(MultipartBody(parts: parts))
        }
        if let json = recorded.json, case .success(let live) = self.json,
            case .success(let other) = shown.json
        {
            marked.json = .success(live.marked(as: json, other))
        }
        return marked
    }
}

extension Array {
    /// Returns the shown elements, of which each is replaced by a recorded one that matches it or the
    /// live element at its place.
    fileprivate func replacing(
        _ live: [Element], _ shown: [Element], _ matches: (Element, Element) -> Bool
    ) -> [Element] {
        guard live.count == shown.count else { return shown }
        var (result, free) = (shown, [Int](live.indices))
        for element in self {
            let place = free.firstIndex {
                matches(element, live[$0]) || matches(element, shown[$0])
            }
            if let place { result[free.remove(at: place)] = element }
        }
        return result
    }
}

extension JSONValue {
    /// Returns the shown value, in which each value that a recorded one matches is that one.
    fileprivate func marked(as recorded: JSONValue?, _ shown: JSONValue) -> JSONValue {
        switch (recorded, self, shown) {
        case (.object(let recorded), .object(let live), .object(let shown)):
            var free = recorded.keys.filter { live[$0] == nil && $0.contains(Redaction.mark) }
                .sorted()
            var object: [String: JSONValue] = [:]
            for key in live.keys.sorted() {
                let place = recorded[key] == nil ? free.firstIndex { $0.matches(key) } : nil
                let name =
                    place.map { free.remove(at: $0) } ?? (shown[key] == nil ? Redaction.mark : key)
                object[name] = live[key]?.marked(as: recorded[name], shown[key] ?? .null)
            }
            return .object(object)
        case (.array(let recorded), .array(let live), .array(let shown)):
            return .array(
                zip(live, shown).enumerated().map { index, pair in
                    let recorded = index < recorded.count ? recorded[index] : nil
                    return pair.0.marked(as: recorded, pair.1)
                })
        case (.string(let text)?, .string(let live), .string(let other))
        where text.matches(live) || text.matches(other):
            return .string(text)
        // A number that was hidden because of its value. Such a one has eight digits or more.
        case (.number("0")?, .number(let live), _) where live.utf8.count >= 8: return .number("0")
        default: return recorded?.isSameScalar(as: self) == true ? self : shown
        }
    }
}

extension RecordedPart {
    fileprivate func matches(_ live: RecordedPart) -> Bool {
        name.hasSameBytes(as: live.name)
            && (data == live.data
                || text.map { text in live.text.map(text.matches) ?? false } ?? false)
    }
}

extension NamedItem {
    fileprivate func matches(_ live: NamedItem) -> Bool {
        name.matches(live.name)
            && (value.map { value in live.value.map(value.matches) ?? false } ?? (live.value == nil))
    }

    /// A number that grows with the values that the item matches.
    fileprivate var breadth: Int {
        let text = shown
        let texts = text.splitAtMarks.texts
        return texts.count == 1 ? .min : -texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension String {
    /// Whether the text has the same bytes as another one. Each mark stands for any text that is not
    /// empty.
    fileprivate func matches(_ live: String) -> Bool {
        if utf8.elementsEqual(live.utf8) { return true }
        guard utf8.count > 7, contains(Redaction.mark) else { return false }
        let texts = splitAtMarks.texts.map { Data($0.utf8) }
        var rest = Data(live.utf8)
        guard rest.starts(with: texts[0]) else { return false }
        rest = rest.dropFirst(texts[0].count)
        for text in texts.dropFirst().dropLast() where !text.isEmpty {
            guard let found = rest.dropFirst().range(of: text) else { return false }
            rest = rest[found.upperBound...]
        }
        let end = texts[texts.count - 1]
        return rest.count > end.count && rest.suffix(end.count) == end
    }
}
