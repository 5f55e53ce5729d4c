import APIKitLite
import Foundation

/// A recorded request, in which each mark (the replacement of a secret) matches any nonempty text.
///
/// Its functions return the parts of a live request, the one that a client sent. A part that
/// matches a recorded part is replaced by that part, and all others are shown without their
/// secrets. The two requests can then be compared like any others, and no difference reveals a
/// secret.
struct RequestPattern: Sendable {
    private let segments: [String]
    private let query: [NamedItem]
    private let form: [NamedItem]?
    private let parts: [RecordedPart]?
    private let json: JSONValue?
    private let headers: [String: String]
    private let body: Data

    init(_ reading: RequestReading) {
        (segments, query, form) = (reading.segments, reading.query, reading.declaredForm)
        (parts, json) = (try? reading.multipart?.get().parts, try? reading.json?.get())
        (headers, body) = (reading.request.allHTTPHeaderFields ?? [:], reading.body)
    }

    func segments(of live: RequestReading) -> [String] {
        let shown = live.shown.segments
        guard segments.count == shown.count, live.segments.count == shown.count else {
            return shown
        }
        return shown.indices.map { place in
            let isEqual =
                segments[place].matches(live.segments[place])
                || segments[place].matches(shown[place])
            return isEqual ? segments[place] : shown[place]
        }
    }

    func query(of live: RequestReading) -> [NamedItem] {
        query.replacing(live.query, live.shown.query)
    }

    func form(of live: RequestReading) -> [NamedItem]? {
        guard let form, let items = live.form, let shown = live.shown.form else {
            return live.shown.form
        }
        return form.replacing(items, shown)
    }

    func multipart(
        of live: RequestReading
    ) -> Result<MultipartBody, MultipartBody.Failure>? {
        guard let parts, case .success(let body) = live.multipart,
            case .success(let shown) = live.shown.multipart
        else { return live.shown.multipart }
        return .success(MultipartBody(parts: parts.replacing(body.parts, shown.parts)))
    }

    func json(of live: RequestReading) -> Result<JSONValue, any Error>? {
        guard let json, case .success(let value) = live.json,
            case .success(let shown) = live.shown.json
        else { return live.shown.json }
        return .success(value.marked(as: json, shown))
    }

    func header(_ name: String, of live: RequestReading) -> String? {
        guard let value = headers[name], let other = live.header(name), value.matches(other)
        else { return live.shown.header(name) }
        return value
    }

    func body(of live: RequestReading) -> Data {
        body.matches(live.body) || body.matches(live.shown.body) ? body : live.shown.body
    }

    /// Returns the number of recorded parts that a client's request lacks or has in another place.
    func differences(from live: RequestReading) -> Int {
        var count = zip(segments, live.segments).count { $0 != $1 }
        count += query.count { !live.query.contains($0) }
        if let json, case .success(let value) = live.json {
            return count + JSONDifference.count(json, .equal, value)
        }
        if let parts, case .success(let body) = live.multipart {
            return count + parts.count { part in !body.parts.contains { part.data == $0.data } }
        }
        return count + (form ?? []).count { live.form?.contains($0) == false }
    }
}

/// A part of a recorded request, which may contain marks.
private protocol Pattern {
    var hasMark: Bool { get }
    func matches(_ live: Self) -> Bool
}

extension Array where Element: Pattern {
    /// Returns the elements without secrets, each replaced by the recorded element that matches it,
    /// if there is one.
    fileprivate func replacing(_ live: [Element], _ shown: [Element]) -> [Element] {
        guard live.count == shown.count else { return shown }
        var (result, free) = (shown, [Int](live.indices))
        // Marks come last, because they also match what other elements match.
        for element in filter({ !$0.hasMark }) + filter(\.hasMark) {
            let place = free.firstIndex { element.matches(live[$0]) || element.matches(shown[$0]) }
            if let place { result[free.remove(at: place)] = element }
        }
        return result
    }
}

extension NamedItem: Pattern {
    fileprivate var hasMark: Bool { (name + (value ?? "")).contains(Redaction.mark) }

    fileprivate func matches(_ live: NamedItem) -> Bool {
        name.matches(live.name) && (value == nil) == (live.value == nil)
            && (value ?? "").matches(live.value ?? "")
    }
}

extension RecordedPart: Pattern {
    fileprivate var hasMark: Bool { text?.contains(Redaction.mark) ?? false }

    fileprivate func matches(_ live: RecordedPart) -> Bool {
        name.hasSameBytes(as: live.name) && data.matches(live.data)
    }
}

extension JSONValue {
    /// Returns the value without secrets, with each part that matches the recorded value replaced
    /// by the recorded part.
    fileprivate func marked(as recorded: JSONValue?, _ shown: JSONValue) -> JSONValue {
        switch (recorded, self, shown) {
        case (.object(let recorded), .object(let live), .object(let shown)):
            var free = recorded.keys.filter { live[$0] == nil && $0.contains(Redaction.mark) }
                .sorted()
            var object: [String: JSONValue] = [:]
            for (key, value) in live.sorted(by: { $0.key < $1.key }) {
                let place = recorded[key] == nil ? free.firstIndex { $0.matches(key) } : nil
                let name =
                    place.map { free.remove(at: $0) } ?? (shown[key] == nil ? Redaction.mark : key)
                object[name] = value.marked(as: recorded[name], shown[key] ?? .null)
            }
            return .object(object)
        case (.array(let recorded), .array(let live), .array(let shown)):
            return .array(
                zip(live, shown).enumerated().map { index, pair in
                    pair.0.marked(as: index < recorded.count ? recorded[index] : nil, pair.1)
                })
        case (.string(let text), .string(let live), .string(let other))
        where text.matches(live) || text.matches(other):
            return .string(text)
        // Values that are hidden under every name have at least eight characters.
        case (.number("0"), .number(let live), _) where live.utf8.count >= 8: return .number("0")
        default: return recorded?.isSameScalar(as: self) == true ? self : shown
        }
    }
}

extension Data {
    fileprivate func matches(_ live: Data) -> Bool {
        if self == live { return true }
        guard let text = exactText(self), let live = exactText(live) else { return false }
        return text.matches(live)
    }
}

extension String {
    /// Returns whether this text equals another byte for byte, except that a mark matches any
    /// nonempty text.
    fileprivate func matches(_ live: String) -> Bool {
        if utf8.elementsEqual(live.utf8) { return true }
        guard contains(Redaction.mark) else { return false }
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
