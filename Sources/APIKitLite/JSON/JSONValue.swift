/// The content of a JSON text, without the order of keys and the space between values.
package enum JSONValue: Sendable {
    /// The members, sorted by the UTF-8 of their keys. Members with the same key keep their order.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// The text of the number, digit by digit.
    case number(String)
    case boolean(Bool)
    case null

    /// A key and its value.
    package struct Member: Sendable {
        package let key: String
        package let value: JSONValue

        /// Creates a member.
        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Reads a whole text.
    ///
    /// - Throws: `JSONText.Failure` if the text is not JSON.
    package init(_ bytes: some Sequence<UInt8>) throws(JSONText.Failure) {
        let bytes = Array(bytes)
        var scanner = JSONScanner(bytes)
        guard let first = try scanner.next() else { throw .truncated(at: bytes.count) }
        let value = try Self.read(first, &scanner)
        _ = try scanner.next()
        // After the scan, so that a text that ends inside a character counts as truncated.
        guard isUTF8(bytes) else { throw .notUTF8 }
        self = value
    }

    /// Reads the rest of a value whose first token has been read.
    private static func read(
        _ token: JSONScanner.Token, _ scanner: inout JSONScanner
    ) throws(JSONText.Failure) -> JSONValue {
        switch token {
        case .open(isObject: true):
            var members: [Member] = []
            while case .key = try scanner.next() {
                let key = string(at: scanner.frame.key, in: scanner)
                guard let first = try scanner.next() else { break }
                members.append(Member(key: key, value: try read(first, &scanner)))
            }
            // The standard library's sort is stable.
            members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(members)
        case .open(isObject: false):
            var elements: [JSONValue] = []
            let level = scanner.depth
            while let first = try scanner.next(), scanner.depth >= level {
                elements.append(try read(first, &scanner))
            }
            return .array(elements)
        case .string: return .string(string(at: scanner.range, in: scanner))
        case .number: return .number(String(decoding: scanner.bytes[scanner.range], as: UTF8.self))
        case .boolean: return .boolean(scanner.bytes[scanner.start] == UInt8(ascii: "t"))
        case .null, .key, .close: return .null
        }
    }

    /// Returns the string at a range that includes its quotation marks.
    private static func string(at range: Range<Int>, in scanner: JSONScanner) -> String {
        String(
            decoding: JSONText.unescaped(scanner.bytes[range.dropFirst().dropLast()]),
            as: UTF8.self)
    }

    /// The value with the members of all objects sorted by their keys.
    package var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { Member(key: $0.key, value: $0.value.sorted) }
                    .sorted { $0.key < $1.key })
        case .array(let elements): .array(elements.map(\.sorted))
        case .string, .number, .boolean, .null: self
        }
    }

    /// The value on one line, without spaces.
    package var compact: String {
        var text = ""
        write(to: &text, upTo: .max)
        return text
    }

    /// Appends the value to a text. Stops early once the text has more than `limit` bytes.
    func write(to text: inout String, upTo limit: Int) {
        if text.utf8.count > limit { return }
        switch self {
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if text.utf8.count > limit { return }
                if index > 0 { text += "," }
                text += JSONText.quoted(member.key) + ":"
                member.value.write(to: &text, upTo: limit)
            }
            text += "}"
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if text.utf8.count > limit { return }
                if index > 0 { text += "," }
                element.write(to: &text, upTo: limit)
            }
            text += "]"
        case .string(let string): text += JSONText.quoted(string)
        case .number(let digits): text += digits
        case .boolean(let value): text += value ? "true" : "false"
        case .null: text += "null"
        }
    }

    /// The value with each member or element on a line of its own, indented by two spaces.
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
