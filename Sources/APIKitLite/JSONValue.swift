/// What a JSON text says: the order of keys and the space between values do not count.
package enum JSONValue: Sendable {
    /// Sorted by the UTF-8 of the keys. A repeated key stays, in its order.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// With the digits that were written.
    case number(String)
    case boolean(Bool)
    case null

    package struct Member: Sendable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Reads a whole text.
    package init(_ bytes: some Sequence<UInt8>) throws(JSONText.Failure) {
        let text = try JSONText(bytes)
        self.init(text.root, in: text)
    }

    private init(_ value: JSONText.Value, in text: JSONText) {
        switch value.kind {
        case .object(let members):
            let members = members.map { Member(key: $0.key, value: JSONValue($0.value, in: text)) }
            // The standard library's sort is stable.
            self = .object(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        case .array(let elements):
            self = .array(elements.map { JSONValue($0, in: text) })
        case .string:
            self = .string(text.string(at: value.range))
        case .number:
            self = .number(String(decoding: text.bytes[value.range], as: UTF8.self))
        case .boolean:
            self = .boolean(text.bytes[value.range.lowerBound] == UInt8(ascii: "t"))
        case .null:
            self = .null
        }
    }

    /// The value on one line, without spaces.
    package var compact: String {
        switch self {
        case .object(let members):
            "{"
                + members.map { JSONText.quoted($0.key) + ":" + $0.value.compact }.joined(
                    separator: ",")
                + "}"
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .string(let text): JSONText.quoted(text)
        case .number(let digits): digits
        case .boolean(let value): value ? "true" : "false"
        case .null: "null"
        }
    }

    /// The value with one member or element to a line, indented by two spaces.
    package var pretty: String { pretty(indent: "") }

    private func pretty(indent: String) -> String {
        let inner = indent + "  "
        func block(_ lines: [String], _ open: String, _ close: String) -> String {
            if lines.isEmpty { return open + close }
            return open + "\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent
                + close
        }
        switch self {
        case .object(let members):
            return block(
                members.map { JSONText.quoted($0.key) + ": " + $0.value.pretty(indent: inner) },
                "{", "}")
        case .array(let elements):
            return block(elements.map { $0.pretty(indent: inner) }, "[", "]")
        case .string, .number, .boolean, .null:
            return compact
        }
    }
}
