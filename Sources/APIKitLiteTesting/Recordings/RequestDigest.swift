import APIKitLite
import Foundation

/// The values of a request as hashes, by their places: a segment of the path, an item, a value in
/// JSON. With it, a request is found among thousands of recorded ones.
struct RequestDigest: Sendable {
    private(set) var values: [Int: Int] = [:]
    /// The places at which a recorded request may match another value.
    private(set) var openPlaces: Set<Int> = []
    /// A hash of all places.
    private(set) var whole = 0
    private let isPattern: Bool

    /// Creates a digest. Those of patterns are equal if the requests differ only in marks.
    init(_ reading: RequestReading, isPattern: Bool = false) {
        self.isPattern = isPattern
        add(reading.method, at: hashed("method"))
        for (index, segment) in reading.segments.enumerated() { add(segment, at: hashed(index)) }
        add(reading.query, at: "query")
        if case .success(let multipart) = reading.multipart {
            for part in multipart.parts { add(part.text ?? "", at: hashed("part", part.name)) }
        } else if case .success(let json) = reading.json {
            add(json, at: hashed("JSON"))
        } else if let form = reading.declaredForm {
            add(form, at: "form")
        } else {
            add(exactText(reading.body) ?? "\(reading.body.hashValue)", at: hashed("body"))
        }
        whole = values.reduce(0) { $0 &+ hashed($1.key, $1.value) }
    }

    private mutating func add(_ text: String, at place: Int) {
        let isOpen = isPattern && text.contains(Redaction.mark)
        let text = isOpen ? text.splitAtMarks.texts.joined(separator: Redaction.mark) : text
        add(hashed(text), at: place, isOpen: isOpen)
    }

    private mutating func add(_ items: [NamedItem], at place: String) {
        for item in items { add(item.value ?? "", at: hashed(place, item.name)) }
    }

    private mutating func add(_ json: JSONValue, at place: Int) {
        switch json {
        case .object(let members) where !members.isEmpty:
            for (key, value) in members { add(value, at: hashed(place, key)) }
        case .array(let elements) where !elements.isEmpty:
            for (index, value) in elements.enumerated() { add(value, at: hashed(place, index)) }
        case .string(let text): add(text, at: place)
        // 0 and false are marks, too.
        case .number(let digits):
            add(hashed(Double(digits)), at: place, isOpen: isPattern && digits == "0")
        case .boolean(let value): add(hashed(value), at: place, isOpen: isPattern && !value)
        default: add(hashed(json.compact), at: place, isOpen: false)
        }
    }

    private mutating func add(_ value: Int, at place: Int, isOpen: Bool) {
        // A name may be repeated. Its values have no order.
        values[place, default: 0] &+= value
        if isOpen { openPlaces.insert(place) }
    }

    /// Returns a hash of the other places; nil if the request does not have all of these.
    func hash(without places: Set<Int>) -> Int? {
        var rest = whole
        for place in places {
            guard let value = values[place] else { return nil }
            rest &-= hashed(place, value)
        }
        return rest
    }
}

func hashed(_ first: some Hashable, _ second: some Hashable = 0) -> Int {
    var hasher = Hasher()
    hasher.combine(first)
    hasher.combine(second)
    return hasher.finalize()
}
