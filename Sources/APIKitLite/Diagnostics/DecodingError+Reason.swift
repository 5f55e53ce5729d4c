import Foundation

/// Why a body could not be decoded: a sentence, and the place in the JSON that it describes.
struct DecodingReason {
    let sentence: String
    /// The place of the error in the JSON, or `nil` if it is not known.
    private(set) var found: JSONText.Found?

    /// Describes a decoding error with the JSON that was decoded.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - json: The JSON.
    ///   - subject: The name of the JSON in a sentence.
    ///   - redaction: The secrets to hide.
    init(
        _ error: DecodingError, in json: JSONText, of subject: String = "The body",
        redaction: Redaction
    ) {
        let finder = Finder(json: json, redaction: redaction)
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let found = finder.find(context.codingPath)
            sentence = "\(found.place): expected \(describe(type)), found \(found.description)."
            self.found = found.inText
        case .keyNotFound(let key, let context):
            let found = finder.find(context.codingPath)
            sentence =
                "\(found.place): the key \(finder.missing(key.stringValue, in: found.inText)). "
                + found.listOfKeys
            self.found = found.inText
        case .dataCorrupted(let context)
        where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
            // On Linux, decoding `[1.5]` as integers throws "not valid JSON" with an empty path.
            sentence =
                "\(subject) is JSON, but the decoder refused it. Look for a number that "
                + #"does not fit its type, such as 1.5 for Int, or half a character (\ud800)."#
        case .dataCorrupted(let context):
            let found = finder.find(context.codingPath)
            let detail = redaction.detail(of: context)
            let text = detail.map { " " + $0 } ?? ""
            sentence = "\(found.place): found \(found.description) that cannot be used.\(text)"
            self.found = found.inText
        @unknown default:
            sentence = redaction.text(error.localizedDescription)
        }
    }

    /// Describes a decoding error of a body that is not JSON.
    init(_ error: DecodingError, redaction: Redaction) {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let text = context.map { redaction.detail(of: $0) ?? "it cannot be used." }
        let place = redaction.place(context?.codingPath ?? [])
        sentence = "At \(place): \(text ?? redaction.text("\(error)"))"
    }

    /// Describes a body, or an element of a stream, that is not JSON.
    ///
    /// - Parameters:
    ///   - failure: Why it is not JSON.
    ///   - body: The body or the element.
    ///   - subject: Its name in a sentence.
    ///   - contentType: The value of the `Content-Type` header.
    ///   - announced: The expected length of the body in bytes; -1 if it is not known.
    ///   - redaction: The secrets to hide in the title of an HTML page.
    init(
        _ failure: JSONText.Failure, body: Data, of subject: String = "The body",
        contentType: String?, announced: Int64, redaction: Redaction
    ) {
        let start = body.prefix(512).drop { [0x20, 0x0a, 0x0d, 0x09].contains($0) }
        let isHTML = HTMLPage.isPage(body, contentType: contentType)
        if start.isEmpty, body.count <= 512 {
            sentence = "\(subject) is empty, where JSON was expected."
        } else if isHTML, let title = HTMLPage.title(of: body) {
            let shown = Excerpt(redacting: title, with: redaction, limit: 100).text(limit: 100)
            sentence = "\(subject) is an HTML page titled \(shown.debugDescription), not JSON."
        } else if start.first == UInt8(ascii: "<") {
            sentence =
                "\(subject) is \(isHTML ? "HTML" : "HTML or XML"), where JSON was expected."
        } else {
            switch failure {
            case .truncated:
                let total = announced > body.count ? " of \(byteCount(announced))" : ""
                sentence =
                    "\(subject) is truncated: the JSON ends too early, "
                    + "after \(byteCount(body.count))\(total)."
            case .unexpected(let offset):
                sentence = "\(subject) is not JSON: what stands at byte \(offset) cannot be there."
            case .tooDeep(let offset):
                sentence =
                    "\(subject) is JSON with more than \(JSONText.maximumDepth) levels, "
                    + "at byte \(offset)."
            case .notUTF8:
                sentence = "\(subject) is not JSON in UTF-8."
            }
        }
    }
}

extension Redaction {
    /// A coding path as text. It is bounded, because the server chooses the keys.
    fileprivate func place(_ path: [any CodingKey]) -> String {
        Excerpt(redacting: describe(path), with: self, limit: 1_000).text(limit: 1_000)
    }

    /// The redacted debug description of a decoding error, or `nil` if it may hold a secret.
    ///
    /// A decoder may quote the value that it could not decode.
    fileprivate func detail(of context: DecodingError.Context) -> String? {
        let secrecy = context.codingPath.map { self.secrecy(of: $0.stringValue, in: .key) }.max()
        let text = Excerpt(redacting: context.debugDescription, with: self, limit: 1_000)
            .text(limit: 1_000)
        let mayHide =
            switch secrecy ?? .none {
            case .none: false
            case .byValue:
                text.split { " \"'()".contains($0) }
                    .contains { SecretName.looksLikeToken($0.utf8) }
            case .always: true
            }
        return mayHide ? nil : text
    }
}

/// A search for the JSON value at a coding path.
private struct Finder {
    let json: JSONText
    let redaction: Redaction

    /// The value at a coding path, or the last value that the path reaches, in words.
    struct Found {
        let place: String
        let description: String
        let inText: JSONText.Found
        let listOfKeys: String
    }

    /// Returns the value at a coding path, or the last value that the path reaches.
    func find(_ path: [any CodingKey]) -> Found {
        let place = "At " + redaction.place(path)
        let found = json.find(path)
        guard found.depth == path.count else {
            var description = "nothing"
            if case .array = found.value.kind {
                description = "the end of an array of \(json.count(of: found.value))"
            }
            return Found(place: place, description: description, inText: found, listOfKeys: "")
        }
        let description =
            switch found.value.kind {
            case .object: "an object"
            case .array: "an array"
            case .string: "a string"
            case .number: "a number"
            case .boolean: "true or false"
            case .null: "null"
            }
        return Found(
            place: place, description: description, inText: found,
            listOfKeys: listOfKeys(found.value))
    }

    /// Says that a key is missing, and how the JSON spells it: `"userID" is missing; the JSON has
    /// "user_id"`.
    ///
    /// A decoder that converts from snake case asks for `createdAt`, which is `created_at` in the
    /// JSON.
    func missing(_ key: String, in found: JSONText.Found) -> String {
        guard case .object = found.value.kind else { return "\(quoted(key)) is missing" }
        let keys = json.keys(of: found.value, first: 200).keys
        if let similar = keys.first(where: { isSnakeCase($0.utf8, of: key) }) {
            return "\(quoted(key)) is missing; the JSON has \(quoted(similar))"
        }
        let snake = snakeCase(key)
        let usesSnakeCase = keys.contains { $0.dropFirst().dropLast().contains("_") }
        let isConverted = usesSnakeCase && snake != key
        return quoted(key) + (isConverted ? " (\(quoted(snake)) in snake case)" : "")
            + " is missing"
    }

    /// Returns a redacted key in quotation marks.
    func quoted(_ key: String) -> String {
        Excerpt(redacting: key, with: redaction, limit: 60).text(limit: 60).debugDescription
    }

    /// A sentence with at most 20 keys of an object; empty for any other value.
    private func listOfKeys(_ value: JSONText.Value) -> String {
        guard case .object = value.kind else { return "" }
        let (keys, count) = json.keys(of: value, first: 20)
        if keys.isEmpty { return "The object there is empty." }
        let shown = keys.map(quoted).joined(separator: ", ")
        let rest = count > 20 ? " and \(count - 20) more" : ""
        return "The keys there: \(shown)\(rest)."
    }
}

/// Returns a key in snake case: `created_at` for `createdAt`, `user_id` for `userID`, `url_path` for
/// `URLPath`.
private func snakeCase(_ key: String) -> String {
    let characters = Array(key)
    return characters.indices.map { index in
        let next = characters.dropFirst(index + 1).first
        let beginsWord =
            index > 0 && characters[index].isUppercase && characters[index - 1] != "_"
            && (!characters[index - 1].isUppercase || next?.isLowercase ?? false)
        return (beginsWord ? "_" : "") + characters[index].lowercased()
    }.joined()
}

/// Returns a coding path as text: `$.items[1].id`.
func describe(_ path: [any CodingKey]) -> String {
    path.reduce(into: "$") { text, key in
        // The string of an array index is "Index 1". The string of an object key "1" is "1".
        let index = key.intValue.flatMap { key.stringValue == String($0) ? nil : $0 }
        text += index.map { JSONPath.step($0) } ?? JSONPath.step(key.stringValue)
    }
}

/// Returns the JSON name of a dictionary or an array, and the Swift name of any other type.
private func describe(_ type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}
