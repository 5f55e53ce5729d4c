import APIKitLite
import Foundation

/// A recorded request, in which each mark (the replacement of a secret) matches any nonempty text.
///
/// Its functions return the parts of a live request, the one that a client sent. Each part that
/// matches a recorded part is replaced by that part. The two requests can then be compared like any
/// others.
struct RequestPattern: Sendable {
    /// What replaced the secrets.
    let redaction: Redaction
    private let segments: [String]
    private let query: [NamedItem]
    private let form: [NamedItem]?
    private let parts: [RecordedPart]?
    private let json: JSONValue?
    private let headers: [String: String]
    private let body: Data

    init(_ reading: RequestReading, _ redaction: Redaction) {
        self.redaction = redaction
        (segments, query, form) = (reading.segments, reading.query, reading.declaredForm)
        (parts, json) = (try? reading.multipart?.get().parts, try? reading.json?.get())
        let names = Set(reading.request.replayedHeaders)
        headers = (reading.request.allHTTPHeaderFields ?? [:]).filter { names.contains($0.key) }
        body = reading.body
    }

    func segments(of live: RequestReading) -> [String] {
        guard segments.count == live.segments.count else { return live.segments }
        return zip(segments, live.segments).map { $0.matches($1) ? $0 : $1 }
    }

    func query(of live: RequestReading) -> [NamedItem] { query.replacing(live.query) }

    func form(of live: RequestReading) -> [NamedItem]? {
        live.form.map { form?.replacing($0) ?? $0 }
    }

    func multipart(of live: RequestReading) -> Result<MultipartBody, MultipartBody.Failure>? {
        live.multipart?.map { MultipartBody(parts: parts?.replacing($0.parts) ?? $0.parts) }
    }

    func json(of live: RequestReading) -> Result<JSONValue, any Error>? {
        live.json?.map { $0.marked(as: json) }
    }

    func header(_ name: String, of live: RequestReading) -> String? {
        live.header(name).map { value in
            headers[name].flatMap { $0.matches(value) ? $0 : nil } ?? value
        }
    }

    // The optimizer of Swift 6.3 crashes when it inlines this into `RequestReading.body`, which this
    // function reads from another reading.
    @inline(never)
    func body(of live: RequestReading) -> Data { body.matches(live.body) ? body : live.body }

    /// Returns the number of recorded parts that a client's request lacks or has in another place,
    /// less the number of headers that it must also have.
    func differences(from live: RequestReading) -> Int {
        var count = zip(segments, live.segments).count { $0 != $1 } - headers.count
        count += query.count { !live.query.contains($0) }
        if let json, case .success(let value) = live.json {
            return count + JSONDifference(json, .equal, value).count
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
    /// Returns the elements of a live request, each replaced by the recorded element that matches
    /// it, if there is one.
    fileprivate func replacing(_ live: [Element]) -> [Element] {
        var (result, free) = (live, [Int](live.indices))
        // Marks come last, because they also match what other elements match.
        for element in filter({ !$0.hasMark }) + filter(\.hasMark) {
            let place = free.firstIndex { element.matches(live[$0]) }
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
    /// Returns the value, with each part that matches the recorded value replaced by the recorded
    /// part.
    fileprivate func marked(as recorded: JSONValue?) -> JSONValue {
        switch (recorded, self) {
        case (.object(let recorded), .object(let live)):
            var free = recorded.keys.filter {
                live.value(of: $0) == nil && $0.contains(Redaction.mark)
            }
            .sorted()
            var object: [String: JSONValue] = [:]
            for (key, value) in live.sorted(by: { $0.key < $1.key }) {
                let place =
                    recorded.value(of: key) == nil ? free.firstIndex { $0.matches(key) } : nil
                let name = place.map { free.remove(at: $0) } ?? key
                object[name] = value.marked(as: recorded.value(of: name))
            }
            return .object(object)
        case (.array(let recorded), .array(let live)):
            return .array(
                live.enumerated().map { index, value in
                    value.marked(as: index < recorded.count ? recorded[index] : nil)
                })
        case (.string(let text), .string(let live)) where text.matches(live): return .string(text)
        // Values that are hidden under every name have at least eight characters.
        case (.number("0"), .number(let live)) where live.utf8.count >= 8: return .number("0")
        default: return self
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

extension URLRequest {
    /// The names of the headers on which the response depends.
    var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}
