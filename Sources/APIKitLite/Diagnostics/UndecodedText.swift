import Foundation

/// A text of the server that could not be decoded: a body, or an element of a stream.
struct UndecodedText {
    /// Its name in a sentence, such as `The body`.
    let subject: String
    /// Its bytes, or `nil` if they are not known.
    let data: Data?
    var contentType: String?
    let redaction: Redaction

    /// Returns a sentence about a decoding error, and the JSON around its place, or the beginning of a
    /// form. The JSON is `nil` if the text is something else, which may be a secret.
    func reason(_ error: DecodingError) -> (sentence: String, excerpt: String?) {
        let path = error.context?.codingPath ?? []
        let text = data.flatMap { redaction.body($0, contentType: contentType) }
        do {
            let json = try JSONText.read(text.map { Data($0.utf8) } ?? data ?? Data())
            let values = values(on: path, in: json)
            return (
                sentence(about: error, at: values.count > path.count ? values.last : nil),
                excerpt(of: text ?? "", around: values)
            )
        } catch let failure {
            // An empty coding path means that the decoder could not read the text at all.
            guard let data, case .dataCorrupted = error, path.isEmpty else {
                return (sentence(about: error, at: nil), text?.excerpt())
            }
            return (sentence(about: data, notJSON: failure), text?.excerpt())
        }
    }

    /// Returns a sentence about an error at a value in JSON, or about one whose value is not known: a
    /// decoder may have converted the keys, and an array may be too short.
    private func sentence(about error: DecodingError, at value: Any?) -> String {
        let path = "At " + redaction.place(error.context?.codingPath ?? [])
        let detail = error.context.flatMap { redaction.detail(of: $0) } ?? ""
        switch (error, value) {
        case (.typeMismatch(let type, _), let value?), (.valueNotFound(let type, _), let value?):
            return "\(path): expected \(name(of: type)), found \(kind(of: value))."
        case (.keyNotFound(let key, _), let object as [String: Any]):
            let name = redaction.excerpt(key.stringValue, limit: 60).debugDescription
            return "\(path): the key \(name) is missing. \(listOfKeys(object))"
        case (.dataCorrupted, let value?):
            return "\(path): found \(kind(of: value)) that cannot be used. \(detail)"
                .trimmingCharacters(in: .whitespaces)
        default:
            return "\(path): \(detail.isEmpty ? "it cannot be used." : detail)"
        }
    }

    private func sentence(about data: Data, notJSON failure: any Error) -> String {
        switch data.afterWhitespace.first {
        case nil: "\(subject) is empty, where JSON was expected."
        case UInt8(ascii: "<")?: "\(subject) is HTML or XML, where JSON was expected."
        default: "\(subject) is not JSON: \(JSONText.reason(failure))"
        }
    }
}

/// Returns the values that a coding path leads to, the outermost first, as far as they are there.
private func values(on path: [any CodingKey], in json: Any) -> [Any] {
    var values = [json]
    for key in path {
        let value = values[values.count - 1]
        if let object = value as? [String: Any], let member = object[key.stringValue] {
            values.append(member)
        } else if let list = value as? [Any], let index = key.intValue,
            list.indices.contains(index)
        {
            values.append(list[index])
        } else {
            break
        }
    }
    return values
}

/// Returns the largest of the values, each of which contains the next, that fits into 200 bytes: the
/// whole text, or a part of it.
private func excerpt(of text: String, around values: [Any]) -> String {
    if text.utf8.count <= 200 || values.count == 1 { return text.excerpt() }
    var result: String?
    for value in values.dropFirst().reversed() {
        let part = "…\(JSONText.write(value))…"
        if part.utf8.count > 200 { return result ?? part.excerpt() }
        result = part
    }
    return result ?? ""
}

/// Returns the JSON name of a value.
private func kind(of value: Any) -> String {
    switch value {
    case is [String: Any]: "an object"
    case is [Any]: "an array"
    case is String: "a string"
    case let number as NSNumber: JSONText.isBoolean(number) ? "true or false" : "a number"
    default: "null"
    }
}

/// Returns a sentence with the first keys of an object.
private func listOfKeys(_ object: [String: Any]) -> String {
    if object.isEmpty { return "The object there is empty." }
    let keys = object.keys.sorted().map { $0.excerpt(limit: 60).debugDescription }
    return "The keys there: \(keys.joined(separator: ", ").excerpt(limit: 500))."
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
private func name(of type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}
