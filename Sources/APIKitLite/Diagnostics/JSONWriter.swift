import Foundation

/// Writes a tree of JSON without its secrets, with sorted keys and the same on every platform.
package struct JSONWriter {
    private let redaction: Redaction
    private let limit: Int
    package private(set) var text = ""
    /// The values that are hidden because of their names.
    private(set) var secrets: [String] = []

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - redaction: The secrets to hide.
    ///   - limit: The number of bytes after which the writer may stop.
    package init(_ redaction: Redaction, upTo limit: Int = .max) {
        self.redaction = redaction
        self.limit = limit
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: The tree of the value.
    ///   - name: The key of the value, or of the array that it belongs to; empty if there is none.
    package mutating func write(_ value: Any, named name: String = "") {
        let scalar = JSONText.scalar(value)
        if redaction.hides(name, scalar, isKey: true) {
            text += "\"\(Redaction.mark)\""
            return collect(value)
        }
        switch value {
        case let object as [String: Any]:
            text += "{"
            for (index, key) in object.keys.sorted().enumerated() {
                if text.utf8.count > limit { return }
                text += (index > 0 ? "," : "") + JSONText.quoted(redaction.text(key)) + ":"
                write(object[key] ?? NSNull(), named: redaction.name(of: key, in: object))
            }
            text += "}"
        case let list as [Any]:
            text += "["
            for (index, element) in list.enumerated() {
                if text.utf8.count > limit { return }
                if index > 0 { text += "," }
                write(element, named: name)
            }
            text += "]"
        case let string as String:
            text += JSONText.quoted(redaction.shows(name) ? string : redaction.text(string))
        case is NSNumber where !redaction.shows(name) && redaction.values.contains(scalar ?? ""):
            text += "\"\(Redaction.mark)\""
        default:
            text += scalar ?? ""
        }
    }

    /// Records the strings and numbers of a value that is hidden.
    private mutating func collect(_ value: Any) {
        if let scalar = JSONText.scalar(value) { return secrets.append(scalar) }
        let elements = (value as? [String: Any]).map { Array($0.values) } ?? value as? [Any] ?? []
        for element in elements { collect(element) }
    }
}

extension Redaction {
    /// The keys whose values name the member `value` of the same object, as in a list of fields or
    /// in JSON Patch (RFC 6902).
    package static let keysOfNames: Set<String> = ["name", "key", "path"]

    /// The name that decides whether a member of a JSON object is a secret: its key. For the value
    /// in `{"name": "password", "value": "x"}`, it is `password`.
    package func name(of key: String, in object: [String: Any]) -> String {
        guard key.lowercased() == "value" else { return key }
        let value = object[key].flatMap(JSONText.scalar)
        return object.lazy.filter { Self.keysOfNames.contains($0.key.lowercased()) }
            .compactMap { $0.value as? String }
            .first { hides($0, value, isKey: true) } ?? key
    }
}
