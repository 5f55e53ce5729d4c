import Foundation

/// Writes a tree of JSON without its secrets, with sorted keys and the same on every platform.
package struct JSONWriter {
    private let redaction: Redaction
    private let limit: Int
    private let isPretty: Bool
    package private(set) var text = ""
    /// The values that are hidden because of their names.
    private(set) var secrets: [String] = []

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - redaction: The secrets to hide.
    ///   - limit: The number of bytes after which the writer may stop.
    ///   - isPretty: Whether each member or element is on its own line, indented by two spaces.
    package init(_ redaction: Redaction, upTo limit: Int = .max, isPretty: Bool = false) {
        self.redaction = redaction
        self.limit = limit
        self.isPretty = isPretty
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: The tree of the value.
    ///   - name: The key of the value, or of the array that it belongs to; empty if there is none.
    package mutating func write(_ value: Any, named name: String = "") {
        write(value, name, depth: 0)
    }

    private mutating func write(_ value: Any, _ name: String, depth: Int) {
        let scalar = JSONText.scalar(value)
        if redaction.hides(name, scalar, isKey: true) {
            text += "\"\(Redaction.mark)\""
            return collect(value)
        }
        switch value {
        case let object as [String: Any]:
            text += "{"
            for (index, member) in object.sorted(by: { $0.key < $1.key }).enumerated() {
                if text.utf8.count > limit { return }
                beginLine(index, depth + 1)
                text += JSONText.quoted(redaction.text(member.key)) + (isPretty ? ": " : ":")
                let name = redaction.name(of: member.key, in: object)
                write(member.value, name, depth: depth + 1)
            }
            endLines(object.count, depth)
            text += "}"
        case let list as [Any]:
            text += "["
            for (index, element) in list.enumerated() {
                if text.utf8.count > limit { return }
                beginLine(index, depth + 1)
                write(element, name, depth: depth + 1)
            }
            endLines(list.count, depth)
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

    private mutating func beginLine(_ index: Int, _ depth: Int) {
        if index > 0 { text += "," }
        if isPretty { text += "\n" + String(repeating: "  ", count: depth) }
    }

    private mutating func endLines(_ count: Int, _ depth: Int) {
        if isPretty, count > 0 { text += "\n" + String(repeating: "  ", count: depth) }
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
