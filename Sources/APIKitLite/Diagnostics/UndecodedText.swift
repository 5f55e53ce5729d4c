import Foundation

/// A text of the server that could not be decoded: a body, or an element of a stream.
struct UndecodedText {
    /// Its name in a sentence, such as `The body`.
    let subject: String
    /// Its bytes, or `nil` if they are not known.
    let data: Data?
    var contentType: String?
    let redaction: Redaction

    /// Returns a sentence about a decoding error, and the JSON around the place of the error, or
    /// the beginning of a form. It is `nil` if the text is something else, which may be a secret.
    func reason(_ error: DecodingError) -> (sentence: String, excerpt: String?) {
        let text = data.flatMap { redaction.body($0, contentType: contentType) }
        do {
            let json = try JSONText.read(text.map { Data($0.utf8) } ?? data ?? Data())
            let place = JSONPlace(error.context?.codingPath ?? [], in: json)
            return (sentence(about: error, at: place), place.excerpt(of: text ?? "", limit: 200))
        } catch let failure {
            // An empty coding path means that the decoder could not read the text at all.
            guard let data, case .dataCorrupted(let context) = error, context.codingPath.isEmpty
            else { return (sentence(about: error), text?.excerpt()) }
            return (sentence(about: data, notJSON: failure), text?.excerpt())
        }
    }

    private func sentence(about error: DecodingError, at place: JSONPlace) -> String {
        let path = "At " + redaction.place(error.context?.codingPath ?? [])
        switch error {
        case .typeMismatch(let type, _) where type == Double.self && place.isDate:
            return "\(path): expected \(describe(type)), found a string that begins with a date. "
                + "For a Date, set the decoder's dateDecodingStrategy, such as .iso8601."
        case .typeMismatch(let type, _), .valueNotFound(let type, _):
            return "\(path): expected \(describe(type)), found \(place.description)."
        case .keyNotFound(let key, _):
            let name = redaction.excerpt(key.stringValue, limit: 60).debugDescription
            return "\(path): the key \(name) is missing. \(place.listOfKeys)"
        case .dataCorrupted(let context)
        where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
            // On Linux, decoding `[1.5]` as integers throws "not valid JSON" with an empty path.
            return "\(subject) is JSON, but the decoder refused it. Look for a number that "
                + "does not fit its type, such as 1.5 for Int."
        case .dataCorrupted(let context):
            let detail = redaction.detail(of: context).map { " " + $0 } ?? ""
            return "\(path): found \(place.description) that cannot be used.\(detail)"
        @unknown default:
            return redaction.text(error.localizedDescription)
        }
    }

    private func sentence(about error: DecodingError) -> String {
        let detail = error.context.map { redaction.detail(of: $0) ?? "it cannot be used." }
        let place = redaction.place(error.context?.codingPath ?? [])
        return "At \(place): \(detail ?? redaction.text("\(error)"))"
    }

    private func sentence(about data: Data, notJSON failure: any Error) -> String {
        let start = data.prefix(512).drop { " \n\r\t".utf8.contains($0) }
        if start.isEmpty, data.count <= 512 {
            return "\(subject) is empty, where JSON was expected."
        }
        if start.first == UInt8(ascii: "<") {
            return "\(subject) is HTML or XML, where JSON was expected."
        }
        return "\(subject) is not JSON: \(JSONText.reason(failure))"
    }
}

/// The place in JSON that a coding path leads to.
private struct JSONPlace {
    /// The values on the way, outermost first.
    private var values: [Any]
    /// Whether the path leads further than the last value.
    private let isMissing: Bool

    init(_ path: [any CodingKey], in json: Any) {
        values = [json]
        for key in path {
            let value = values[values.count - 1]
            if let object = value as? [String: Any], let member = object.member(key.stringValue) {
                values.append(member)
            } else if let list = value as? [Any], let index = key.intValue,
                list.indices.contains(index)
            {
                values.append(list[index])
            } else {
                break
            }
        }
        isMissing = values.count <= path.count
    }

    private var value: Any { values[values.count - 1] }

    var description: String {
        switch value {
        case let list as [Any] where isMissing: return "the end of an array of \(list.count)"
        case _ where isMissing: return "nothing"
        case is [String: Any]: return "an object"
        case is [Any]: return "an array"
        case is String: return "a string"
        case let number as NSNumber:
            return JSONText.isBoolean(number) ? "true or false" : "a number"
        default: return "null"
        }
    }

    /// Whether the value is a text that begins with a date, such as `2026-11-24`.
    var isDate: Bool {
        !isMissing && (value as? String)?.prefixMatch(of: #/\d{4}-\d\d-\d\d/#) != nil
    }

    /// A sentence with at most 20 keys of the object at the place; empty for any other value.
    var listOfKeys: String {
        guard !isMissing, let object = value as? [String: Any] else { return "" }
        if object.isEmpty { return "The object there is empty." }
        let shown = object.keys.sorted().prefix(20)
            .map { $0.excerpt(limit: 60).debugDescription }.joined(separator: ", ")
        let rest = object.count > 20 ? " and \(object.count - 20) more" : ""
        return "The keys there: \(shown)\(rest)."
    }

    /// Returns the largest value on the way that fits into a number of bytes: the whole text, or a
    /// part of it.
    func excerpt(of text: String, limit: Int) -> String {
        if text.utf8.count <= limit || values.count == 1 { return text.excerpt(limit: limit) }
        var result: String?
        for value in values.dropFirst().reversed() {
            let part = "…\(JSONText.write(value))…"
            if part.utf8.count > limit { return result ?? part.excerpt(limit: limit) }
            result = part
        }
        return result ?? ""
    }
}

extension [String: Any] {
    /// Returns the member with a key; a decoder may have converted the key from snake case.
    fileprivate func member(_ key: String) -> Any? {
        func folded(_ key: String) -> String { key.lowercased().replacing("_", with: "") }
        return self[key] ?? keys.sorted().first { folded($0) == folded(key) }.flatMap { self[$0] }
    }
}

extension Redaction {
    /// A coding path as text. It is bounded, because the server chooses the keys.
    fileprivate func place(_ path: [any CodingKey]) -> String {
        excerpt(describe(path), limit: 1_000)
    }

    /// The debug description of a decoding error, or `nil` if it may quote a secret.
    fileprivate func detail(of context: DecodingError.Context) -> String? {
        let text = excerpt(context.debugDescription, limit: 1_000)
        let words = text.components(separatedBy: CharacterSet(charactersIn: " \"'()"))
        for key in context.codingPath {
            for word in words where hides(key.stringValue, word, isKey: true) { return nil }
        }
        return text
    }
}

/// Returns a coding path as text: `$.items[1].id`.
package func describe(_ path: [any CodingKey]) -> String {
    path.reduce(into: "$") { text, key in
        // The string of an array index is "Index 1". The string of an object key "1" is "1".
        let index = key.intValue.flatMap { key.stringValue == String($0) ? nil : $0 }
        text += index.map { JSONText.step($0) } ?? JSONText.step(key.stringValue)
    }
}

/// Returns the JSON name of a dictionary or an array, and the Swift name of any other type.
private func describe(_ type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}
