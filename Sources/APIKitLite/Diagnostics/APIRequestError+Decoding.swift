import Foundation

extension APIRequestError {
    /// Returns a sentence about a decoding error, and the JSON around it or the beginning of a
    /// form. Anything else may be secret and is left out.
    func reason(_ error: DecodingError) -> [String] {
        guard let text = error.element ?? data else { return [sentence(about: error, at: nil)] }
        let (sentence, excerpt) = explanation(of: error, in: text)
        if let element = error.element {
            return [sentence, "Element: " + (excerpt ?? redaction.excerpt(ofElement: element))]
        }
        return [sentence, excerpt.map { "Body: " + $0 }].compactMap(\.self)
    }

    private func explanation(
        of error: DecodingError, in data: Data
    ) -> (sentence: String, excerpt: String?) {
        let path = error.context?.codingPath ?? []
        // The headers describe the body, not an element.
        let response = error.element == nil ? response : nil
        let type = response?.value(forHTTPHeaderField: "Content-Type")
        let beginning = redaction.excerpt(of: data, contentType: type)
        // An empty coding path means that the decoder could not parse the text at all.
        if case .dataCorrupted = error, path.isEmpty, let failure = redaction.failure(in: data) {
            let subject = error.element == nil ? "The body" : "The element"
            let coding = response?.value(forHTTPHeaderField: "Content-Encoding")
            let form = kind(of: data, coding, notJSON: failure.error)
            return ("\(subject) is \(form)", failure.excerpt ?? beginning)
        }
        guard let beginning else { return (sentence(about: error, at: nil), nil) }
        // Only these bytes are searched for the error's place. Beyond them, it is only named.
        let bytes = [UInt8](data.prefix(2_000_000))
        let starts = JSONText.starts(of: path, in: bytes)
        let values = starts.indices.lazy.map { depth in
            redaction.value(in: bytes, at: starts[depth], below: Array(path.prefix(depth)))
        }
        let tree = starts.count > path.count ? values.last?.map(\.tree) : nil
        guard beginning.hasSuffix("…") else { return (sentence(about: error, at: tree), beginning) }
        // The largest value around the error that is short enough. Only the innermost are tried.
        let parts = values.dropFirst().suffix(5).compactMap {
            $0.map { "…\($0.shown)…".excerpt(limit: 2_000) }
        }
        let part = parts.first { $0.utf8.count <= 200 } ?? parts.last?.excerpt()
        return (sentence(about: error, at: tree), part ?? beginning)
    }

    /// Returns a sentence about a decoding error and the JSON value where it occurred. The value is
    /// nil if it cannot be found: the decoder may have converted keys, or an array may be too short.
    private func sentence(about error: DecodingError, at value: Any?) -> String {
        // The length is limited, because the server chooses the keys.
        let place = redaction.excerpt(describe(error.context?.codingPath ?? []), limit: 1_000)
        let path = "At " + place
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
}

/// Returns what kind of data was received in place of JSON.
private func kind(of data: Data, _ contentEncoding: String?, notJSON failure: any Error) -> String {
    if let name = compression(of: data, contentEncoding) {
        return "compressed with \(name), where JSON was expected."
    }
    return switch data.afterWhitespace.first {
    case nil: "empty, where JSON was expected."
    case UInt8(ascii: "<")?: "HTML or XML, where JSON was expected."
    default: "not JSON: \(JSONText.reason(failure))"
    }
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
    /// Returns the debug description of a decoding error, or `nil` if it may quote a secret.
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
        text += key.index.map { JSONText.step($0) } ?? JSONText.step(key.stringValue)
    }
}

extension CodingKey {
    /// The index in an array, or nil for the key of an object.
    ///
    /// The string of an array index is "Index 1". The string of an object key "1" is "1".
    var index: Int? { intValue.flatMap { stringValue == String($0) ? nil : $0 } }
}

/// Returns the JSON name of a dictionary or an array, and the Swift name of any other type.
private func name(of type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}
