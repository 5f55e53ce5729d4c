import Foundation

/// Why a body did not become a value: a sentence, and the bytes it is about.
struct DecodingReason {
    let sentence: String
    /// Where the error is, if it says so.
    private(set) var found: JSONText.Found?

    /// What the error says about this JSON.
    init(_ error: DecodingError, in json: JSONText, redaction: Redaction) {
        let finder = Finder(json: json, redaction: redaction)
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let found = finder.find(context.codingPath)
            sentence = "\(found.place): expected \(describe(type)), found \(found.description)."
            self.found = found.inText
        case .keyNotFound(let key, let context):
            let found = finder.find(context.codingPath)
            sentence =
                "\(found.place): the key \(finder.quoted(key.stringValue)) is missing. "
                + found.listOfKeys
            self.found = found.inText
        case .dataCorrupted(let context)
        where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
            // Measured on Linux: `[1.5]` read as integers is "not valid JSON", without a path.
            sentence =
                "The body is JSON, but the decoder refused it. Look for a number that "
                + #"does not fit its type, such as 1.5 for Int, or half a character (\ud800)."#
        case .dataCorrupted(let context):
            let found = finder.find(context.codingPath)
            let said = redaction.said(of: context)
            let text = said.map { " " + $0 } ?? ""
            sentence = "\(found.place): found \(found.description) that cannot be used.\(text)"
            self.found = found.inText
        @unknown default:
            sentence = redaction.text(error.localizedDescription)
        }
    }

    /// What the error says, where there is no JSON to look at.
    init(_ error: DecodingError, redaction: Redaction) {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let text = context.map { redaction.said(of: $0) ?? "it cannot be used." }
        let place = redaction.text(describe(context?.codingPath ?? []))
        sentence = "At \(place): \(text ?? redaction.text("\(error)"))"
    }

    /// What a body is that is not JSON.
    init(_ failure: JSONText.Failure, body: Data, contentType: String?, announced: Int64) {
        let start = body.prefix(512).drop { [0x20, 0x0a, 0x0d, 0x09].contains($0) }
        let tag = String(decoding: start.prefix(14), as: UTF8.self).lowercased()
        if start.isEmpty, body.count <= 512 {
            sentence = "The body is empty, where JSON was expected."
        } else if tag.hasPrefix("<!doctype html") || tag.hasPrefix("<html") {
            sentence = "The body is HTML, where JSON was expected."
        } else if tag.hasPrefix("<") {
            let name = mediaType(contentType) == "text/html" ? "HTML" : "HTML or XML"
            sentence = "The body is \(name), where JSON was expected."
        } else {
            switch failure {
            case .truncated:
                let rest = announced > body.count ? " of \(byteCount(Int(announced)))" : ""
                sentence =
                    "The body is truncated: the JSON ends too early, "
                    + "after \(byteCount(body.count))\(rest)."
            case .unexpected(let offset):
                sentence = "The body is not JSON: what stands at byte \(offset) cannot be there."
            case .tooDeep(let offset):
                sentence =
                    "The body is JSON with more than \(JSONText.maximumDepth) levels, "
                    + "at byte \(offset)."
            case .notUTF8:
                sentence = "The body is not JSON in UTF-8."
            }
        }
    }
}

extension Redaction {
    /// What a decoder has said, which may quote the value; nil if that is a secret.
    fileprivate func said(of context: DecodingError.Context) -> String? {
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

/// Finds what a coding path leads to, or the last thing on the way there.
private struct Finder {
    let json: JSONText
    let redaction: Redaction

    struct Found {
        let place: String
        let description: String
        let inText: JSONText.Found
        let listOfKeys: String
    }

    func find(_ path: [any CodingKey]) -> Found {
        let place = "At " + redaction.text(describe(path))
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

    func quoted(_ key: String) -> String {
        Excerpt(redacting: key, with: redaction, limit: 60).text(limit: 60).debugDescription
    }

    private func listOfKeys(_ value: JSONText.Value) -> String {
        guard case .object = value.kind else { return "" }
        let (keys, count) = json.keys(of: value, first: 20)
        if keys.isEmpty { return "The object there is empty." }
        let shown = keys.map(quoted).joined(separator: ", ")
        let rest = count > 20 ? " and \(count - 20) more" : ""
        return "The keys there: \(shown)\(rest)."
    }
}

/// A coding path as `$.items[1].id`.
func describe(_ path: [any CodingKey]) -> String {
    path.reduce(into: "$") { text, key in
        // A coder names an index "Index 1"; a key that is a number names itself.
        let index = key.intValue.flatMap { key.stringValue == String($0) ? nil : $0 }
        text += index.map { JSONPath.step($0) } ?? JSONPath.step(key.stringValue)
    }
}

/// A type by the name that JSON has for it.
private func describe(_ type: any Any.Type) -> String {
    let name = String(describing: type)
    if name.hasPrefix("Dictionary<") { return "an object" }
    if name.hasPrefix("Array<") { return "an array" }
    return name
}
