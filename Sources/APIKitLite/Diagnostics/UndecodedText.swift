import Foundation

/// A text of the server that could not be decoded: a body, or an element of a stream.
struct UndecodedText {
    /// Its name in a sentence, such as `The body`.
    let subject: String
    /// Its bytes, or `nil` if they are not known.
    let data: Data?
    var contentType: String?
    /// The expected length in bytes; -1 if it is not known.
    var announced: Int64 = -1
    let redaction: Redaction

    /// Returns a sentence about a decoding error, and the JSON around the place of the error, or
    /// the beginning of a form. It is `nil` if the text is something else, which may be a secret.
    func reason(_ error: DecodingError) -> (sentence: String, excerpt: String?) {
        let json: Any
        do {
            json = try JSONText.read(data ?? Data())
        } catch let failure {
            // An empty coding path means that the decoder could not read the text at all.
            let start = data.flatMap { redaction.body($0, contentType: contentType) }?.excerpt()
            guard let data, case .dataCorrupted(let context) = error, context.codingPath.isEmpty
            else { return (sentence(about: error), start) }
            return (sentence(about: data, notJSON: failure), start)
        }
        let place = JSONPlace(error.context?.codingPath ?? [], in: json, redaction: redaction)
        return (sentence(about: error, at: place), place.excerpt(limit: 200))
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
            return "\(path): the key \(place.missing(key.stringValue)). \(place.listOfKeys)"
        case .dataCorrupted(let context)
        where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
            // On Linux, decoding `[1.5]` as integers throws "not valid JSON" with an empty path.
            return "\(subject) is JSON, but the decoder refused it. Look for a number that "
                + "does not fit its type, such as 1.5 for Int."
        case .dataCorrupted(let context):
            var detail = redaction.detail(of: context).map { " " + $0 } ?? ""
            // Foundation says that the text is not a date of the format, and no more.
            if detail.localizedStandardContains("date string") {
                detail += " The decoder's dateDecodingStrategy expects another form."
            }
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
        let start = data.prefix(512).drop { [0x20, 0x0a, 0x0d, 0x09].contains($0) }
        if start.isEmpty, data.count <= 512 {
            return "\(subject) is empty, where JSON was expected."
        }
        if let title = HTMLPage.title(of: data, contentType: contentType, redaction) {
            return "\(subject) is an HTML page titled \(title), not JSON."
        }
        if start.first == UInt8(ascii: "<") {
            let isHTML = HTMLPage.isPage(data, contentType: contentType)
            return "\(subject) is \(isHTML ? "HTML" : "HTML or XML"), where JSON was expected."
        }
        if announced > data.count {
            return "\(subject) is truncated: the JSON ends too early, "
                + "after \(byteCount(data.count)) of \(byteCount(announced))."
        }
        return "\(subject) is not JSON: \(JSONText.reason(failure))"
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
func describe(_ path: [any CodingKey]) -> String {
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
