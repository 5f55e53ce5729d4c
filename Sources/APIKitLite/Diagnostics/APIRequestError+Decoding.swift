import Foundation

extension APIRequestError {
    /// Returns a sentence about a decoding error, followed by the JSON around the error, the
    /// beginning of a form, or a stream's element. Any other body may be secret and is left out,
    /// unless it is text and this error's redaction hides nothing.
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
        let path = error.context.codingPath
        // The headers describe the body, not an element of a stream.
        let response = error.element == nil ? response : nil
        let type = response?.value(forHTTPHeaderField: "Content-Type")
        let beginning = redaction.excerpt(of: data, contentType: type)
        let json = redaction.parsed(data)
        let tree = try? json?.get()
        if json != nil, let sentence = suspicion(about: error, in: tree, of: data) {
            return (sentence, beginning)
        }
        // With an empty path, `.dataCorrupted` may mean that the decoder could not parse the text.
        if case .dataCorrupted = error, path.isEmpty, case .failure(let failure)? = json {
            let subject = error.element == nil ? "The body" : "The element"
            let coding = response?.value(forHTTPHeaderField: "Content-Encoding")
            return ("\(subject) is \(kind(of: data, coding, notJSON: failure))", beginning)
        }
        let sentence = sentence(about: error, at: value(at: path[...], in: tree))
        guard let beginning, beginning.hasSuffix("…") else { return (sentence, beginning) }
        // Of the values around the error, show the largest one that is short enough, or the
        // beginning of the innermost one.
        var shown: String?
        for outer in path.indices.reversed().map({ path[...$0] }) {
            guard let value = value(at: outer, in: tree) else { continue }
            let part = redaction.excerpt(ofValue: value, below: Array(outer))
            if shown != nil, part.utf8.count > 200 { break }
            shown = part
        }
        return (sentence, shown?.excerpt() ?? beginning)
    }

    /// Returns a sentence about a decoding error at a JSON value. The value is nil if it cannot be
    /// found, for example if the decoder converted keys or an array is too short.
    private func sentence(about error: DecodingError, at value: Any?) -> String {
        // The length is limited, because the server chooses the keys.
        let path = "At " + redaction.excerpt(describe(error.context.codingPath), limit: 1_000)
        let detail = redaction.detail(of: error.context) ?? ""
        switch (error, value) {
        case (.typeMismatch(let type, _), let value?), (.valueNotFound(let type, _), let value?):
            return "\(path): expected \(name(of: type)), found \(kind(of: value))."
        case (.keyNotFound(let key, _), let object as [String: Any]):
            let name = redaction.excerpt(key.stringValue, limit: 60).debugDescription
            return "\(path): the key \(name) is missing. \(redaction.listOfKeys(object))"
        case (.dataCorrupted, let value?):
            return "\(path): found \(kind(of: value)) that cannot be used. \(detail)"
                .trimmingCharacters(in: .whitespaces)
        default:
            return "\(path): \(detail.isEmpty ? "it cannot be used." : detail)"
        }
    }
}

extension APIRequestError {
    /// For an error whose place Foundation does not name, returns a sentence with the places of the
    /// values that probably caused it. Returns nil if no such values are found.
    ///
    /// - Parameter tree: The parsed JSON, or nil if parsing failed, as for a number out of range.
    private func suspicion(
        about error: DecodingError, in tree: Any?, of data: Data
    ) -> String? {
        guard case .dataCorrupted(let context) = error else { return nil }
        let path = context.codingPath
        var (places, fault) = ([String](), "the number does not fit its type.")
        if context.debugDescription.contains("ISO8601") {
            // The path leads to the object or array around the date.
            let texts = children(of: value(at: path[...], in: tree)).filter { _, value in
                (value as? String).map { (try? Date.ISO8601FormatStyle().parse($0)) == nil }
                    ?? false
            }
            let dates = texts.filter { ($0.value as? String)?.first?.isNumber ?? false }
            places = (dates.isEmpty ? texts : dates).prefix(3).map { describe(path) + $0.step }
            fault = "found a string that cannot be used. \(redaction.detail(of: context) ?? "")"
        } else if path.isEmpty, context.debugDescription.contains("not valid JSON") {
            let numbers = numbers(in: numbersAsText(data))
                .filter { tree != nil || Double($0.text)?.isInfinite == true }
            places = (0...2).compactMap { kind in
                numbers.first { misfit($0.text) == kind }?.place
            }
            let largest = numbers.max { Double($0.text) ?? 0 < Double($1.text) ?? 0 }
            if places.isEmpty, let largest { places = [largest.place] }
        }
        if places.isEmpty { return nil }
        return "At \(redaction.excerpt(places.joined(separator: " or "), limit: 1_000)): \(fault)"
    }
}

/// Returns why a number may not fit its type: 0 if it is outside the range of `Int`, 1 if it has a
/// fraction, 2 if it is written as a negative integer, and otherwise 3.
private func misfit(_ number: String) -> Int {
    if let value = Int(number) { return value < 0 ? 2 : 3 }
    let value = Double(number) ?? 0
    // A number just below the range of `Int` has the same `Double` as `Int.min`.
    guard abs(value) < 0x1p63 else { return 0 }
    return Int(exactly: value) == nil ? 1 : 3
}

/// Parses JSON, with each number turned into a string that holds a NUL and the number's text,
/// because a tree of parsed JSON cannot represent every number.
private func numbersAsText(_ json: Data) -> Any? {
    let text = tokens(of: json).map { token in
        "-0123456789".contains(token.prefix(1)) ? "\"\\u0000\(token)\"" : token
    }
    return try? JSONText.read(Data(text.joined().utf8))
}

/// Returns the numbers in a tree from `numbersAsText`.
private func numbers(in value: Any?, at place: String = "$") -> [(place: String, text: String)] {
    if let text = value as? String {
        return text.hasPrefix("\0") ? [(place, String(text.dropFirst()))] : []
    }
    return children(of: value).flatMap { numbers(in: $0.value, at: place + $0.step) }
}

/// Returns the elements of an array, or the members of an object, sorted by key.
private func children(of value: Any?) -> [(step: String, value: Any)] {
    if let list = value as? [Any] { return list.enumerated().map { ("[\($0)]", $1) } }
    let object = value as? [String: Any] ?? [:]
    return object.sorted { $0.key < $1.key }.map { (JSONText.step($0), $1) }
}

/// Returns the end of a sentence about data that is not the expected JSON.
private func kind(of data: Data, _ contentEncoding: String?, notJSON failure: any Error) -> String {
    if let name = compression(of: data, contentEncoding) {
        return "compressed with \(name), where JSON was expected."
    }
    return switch data.afterWhitespace.first {
    case nil: "empty, where JSON was expected. If that is right, make the output optional or Void."
    case UInt8(ascii: "<")?: "HTML or XML, where JSON was expected."
    default:
        "not JSON: \(JSONText.reason(failure))"
            + (tokens(of: data).first(where: wordsOfOtherFormats.contains)
                .map { " JSON has no value \($0)." } ?? "")
    }
}

private let wordsOfOtherFormats = words("NaN Infinity nan inf undefined None True False nil")

/// Returns the kind of a JSON value in words: `an object`.
private func kind(of value: Any) -> String {
    switch value {
    case is [String: Any]: "an object"
    case is [Any]: "an array"
    case is String: "a string"
    case let number as NSNumber: JSONText.isBoolean(number) ? "true or false" : "a number"
    default: "null"
    }
}

/// Returns the value at a coding path in parsed JSON, or nil if the path leads to no value.
private func value(at path: ArraySlice<any CodingKey>, in json: Any?) -> Any? {
    path.reduce(json) { value, key in
        guard let list = value as? [Any] else {
            return (value as? [String: Any])?[key.stringValue]
        }
        return key.index.flatMap { list.indices.contains($0) ? list[$0] : nil }
    }
}

extension Redaction {
    /// Returns a sentence with the first keys of an object.
    fileprivate func listOfKeys(_ object: [String: Any]) -> String {
        if object.isEmpty { return "The object there is empty." }
        let keys = object.keys.map { excerpt($0, limit: 60).debugDescription }.sorted()
        return "The keys there: \(keys.joined(separator: ", ").excerpt(limit: 500))."
    }

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
func describe(_ path: [any CodingKey]) -> String {
    path.reduce(into: "$") { text, key in
        text += key.index.map { "[\($0)]" } ?? JSONText.step(key.stringValue)
    }
}

extension CodingKey {
    /// The index in an array, or nil for the key of an object.
    ///
    /// The array index 1 has the `stringValue` "Index 1", and the object key "1" has "1".
    var index: Int? { intValue.flatMap { stringValue == String($0) ? nil : $0 } }
}

/// Returns `an object` for a dictionary, `an array` for an array, and the Swift name of any other
/// type.
private func name(of type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}

/// A stream element that could not be decoded, stored as the `underlyingError` in the context of
/// the `DecodingError`.
///
/// With this type, an error about an element can stay a `DecodingError`, like an error about a
/// body, and carry the element's bytes.
private struct UndecodedElement: Error, OpaquelyReflected {
    let bytes: Data

    /// The element's size. The element itself is left out, because it may hold a secret.
    var description: String { "an element of \(byteCount(bytes.count))" }
}

extension DecodingError {
    /// The stream element that could not be decoded, or nil if the error is about a body.
    var element: Data? { (context.underlyingError as? UndecodedElement)?.bytes }

    /// Returns this error with the bytes of the element that could not be decoded.
    func about(_ element: Data) -> DecodingError {
        let context = Context(
            codingPath: context.codingPath, debugDescription: context.debugDescription,
            underlyingError: UndecodedElement(bytes: element))
        switch self {
        case .typeMismatch(let type, _): return .typeMismatch(type, context)
        case .valueNotFound(let type, _): return .valueNotFound(type, context)
        case .keyNotFound(let key, _): return .keyNotFound(key, context)
        case .dataCorrupted: return .dataCorrupted(context)
        @unknown default: return self
        }
    }

    var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }
}
