import Foundation

extension UndecodedText {
    /// The place in JSON that a coding path leads to.
    struct JSONPlace {
        private let redaction: Redaction
        /// The values on the way, outermost first, with the names that decide whether they are
        /// secrets.
        private var values: [(name: String, value: Any)]
        /// Whether the path leads further than the last value.
        private let isMissing: Bool

        init(_ path: [any CodingKey], in json: Any, redaction: Redaction) {
            self.redaction = redaction
            var values = [(name: "", value: json)]
            for key in path {
                let (name, value) = values[values.count - 1]
                if let object = value as? [String: Any],
                    let key = object.keys.contains(key.stringValue)
                        ? key.stringValue : similarKey(to: key.stringValue, in: object)
                {
                    values.append((redaction.name(of: key, in: object), object[key] ?? NSNull()))
                } else if let list = value as? [Any], let index = key.intValue,
                    list.indices.contains(index)
                {
                    values.append((name, list[index]))
                } else {
                    break
                }
            }
            isMissing = values.count <= path.count
            self.values = values
        }

        private var value: Any { values[values.count - 1].value }

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

        /// Says that a key is missing, and how the JSON spells it: `"userID" is missing; the JSON
        /// has "user_id"`.
        ///
        /// A decoder that converts from snake case asks for `createdAt`, which is `created_at` in
        /// the JSON.
        func missing(_ key: String) -> String {
            guard !isMissing, let object = value as? [String: Any] else {
                return "\(quoted(key)) is missing"
            }
            if let similar = similarKey(to: key, in: object) {
                return "\(quoted(key)) is missing; the JSON has \(quoted(similar))"
            }
            let snake = snakeCase(key)
            let usesSnakeCase = object.keys.contains { $0.dropFirst().dropLast().contains("_") }
            let isConverted = usesSnakeCase && snake != key
            return quoted(key) + (isConverted ? " (\(quoted(snake)) in snake case)" : "")
                + " is missing"
        }

        /// A sentence with at most 20 keys of the object at the place; empty for any other value.
        var listOfKeys: String {
            guard !isMissing, let object = value as? [String: Any] else { return "" }
            if object.isEmpty { return "The object there is empty." }
            let shown = object.keys.sorted().prefix(20).map(quoted).joined(separator: ", ")
            let rest = object.count > 20 ? " and \(object.count - 20) more" : ""
            return "The keys there: \(shown)\(rest)."
        }

        /// Returns the largest value on the way that fits into a number of bytes, without its
        /// secrets.
        func excerpt(limit: Int) -> String {
            // Nothing inside a secret object or array is shown.
            let isSecret = values.map { redaction.hides($0.name, nil, isKey: true) }
            let end = isSecret.firstIndex(of: true) ?? values.count - 1
            var result: String?
            for index in (0...end).reversed() {
                var writer = JSONWriter(redaction, upTo: limit)
                writer.write(values[index].value, named: values[index].name)
                let text = index > 0 ? "…\(writer.text)…" : writer.text
                if text.utf8.count > limit { return result ?? text.excerpt(limit: limit) }
                result = text
            }
            return result ?? ""
        }

        private func quoted(_ key: String) -> String {
            redaction.excerpt(key, limit: 60).debugDescription
        }
    }
}

/// Returns the key of an object that is a name apart from underscores and case, if there is one.
private func similarKey(to name: String, in object: [String: Any]) -> String? {
    func folded(_ key: String) -> String { key.lowercased().replacing("_", with: "") }
    let name = folded(name)
    return object.keys.sorted().first { folded($0) == name }
}

/// Returns a key in snake case: `created_at` for `createdAt`, `user_id` for `userID`, `url_path`
/// for `URLPath`.
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
