import APIKitLite
import Foundation

/// A request as a list of the texts by which its answer is found.
struct ReplayParts {
    struct Part {
        /// Where the text is, such as `query page` or `$.user.name`. A place may occur several times.
        let place: String
        let text: String
        /// The text as a JSON literal; nil outside JSON.
        var json: String?
    }

    private(set) var parts: [Part] = []

    init(_ request: URLRequest) {
        self.init(RequestReading(RecordedRequest(request: request)))
    }

    init(_ reading: RequestReading) {
        let url = reading.url
        add("method", reading.method)
        add(Self.origin, "\(url.scheme)://\(url.hostAndPort)")
        for (index, segment) in reading.segments.enumerated() { add("path \(index)", segment) }
        add("query", reading.query)
        for name in reading.request.replayedHeaders {
            let value = reading.request.value(forHTTPHeaderField: name) ?? ""
            add(Self.header + name.lowercased(), value)
        }
        if case .success(let multipart) = reading.multipart {
            add("part", multipart.parts.map(\.item))
        } else if case .success(let json) = reading.json {
            add("$", json)
        } else if let form = reading.declaredForm {
            add("field", form)
        } else {
            add("body", exactText(reading.body) ?? reading.body.base64EncodedString())
        }
    }

    private static let origin = "origin"
    private static let header = "header "

    private mutating func add(_ place: String, _ text: String) {
        parts.append(Part(place: place, text: text))
    }

    private mutating func add(_ kind: String, _ items: [NamedItem]) {
        for item in items { add("\(kind) \(item.name)", item.value ?? "") }
    }

    private mutating func add(_ place: String, _ json: JSONValue) {
        switch json {
        case .object(let members) where !members.isEmpty:
            for (key, member) in members { add(place + JSONText.step(key), member) }
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                add(place + JSONText.step(index), element)
            }
        case .number(let digits):
            // Integers are compared exactly, other numbers as `Double`.
            let isInteger = digits.allSatisfy { $0.isNumber || $0 == "-" }
            let number = isInteger ? digits : Double(digits).map { "\($0)" } ?? digits
            parts.append(Part(place: place, text: digits, json: number))
        default:
            parts.append(Part(place: place, text: json.scalar ?? "", json: json.compact))
        }
    }

    /// The places with a placeholder.
    var variables: [String] {
        parts.filter { Placeholder.mayBe(in: $0.text) }.map(\.place)
    }

    var hasVariables: Bool { !variables.isEmpty }

    /// A text that is the same for equal requests. All placeholders count as equal.
    var key: String {
        Self.key(parts) { Placeholder.replacing(in: $0) { ("REDACTED-0", $0.range) } }
    }

    /// Returns the key without the origin, which does not count for the network's own server,
    /// without headers, and without places at which a placeholder matches any text.
    func key(without variables: Set<String>) -> String {
        Self.key(
            parts.filter {
                $0.place != Self.origin && !$0.place.hasPrefix(Self.header)
                    && !variables.contains($0.place)
            })
    }

    /// The order of the parts does not count.
    private static func key(_ parts: [Part], _ edit: (String) -> String = { $0 }) -> String {
        parts.map { edit("\($0.place)=\($0.json ?? $0.text)") }.sorted().joined(separator: "\n")
    }
}

extension URLRequest {
    /// The names of the headers on which the answer depends.
    var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}

extension MultipartBody.Part {
    fileprivate var item: NamedItem {
        let file = "\(fileName ?? "") \(contentType ?? "") \(data.base64EncodedString())"
        return NamedItem(name: name, value: fieldText ?? file)
    }
}
