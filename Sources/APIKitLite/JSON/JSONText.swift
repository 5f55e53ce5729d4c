import Foundation

/// A JSON text in which the byte ranges of values can be looked up.
///
/// `JSONSerialization` returns the values without their ranges. It also loses the order of keys,
/// repeated keys and the digits of numbers. This type builds no tree: each look-up reads the text.
package struct JSONText: Sendable {
    /// A kind of value and the range of its bytes.
    package struct Value: Sendable {
        package let kind: Kind
        package let range: Range<Int>
    }

    /// The kind of a value.
    package enum Kind: Sendable {
        case object, array, string, number, boolean, null
    }

    /// The value that a coding path leads to, or the last one on the way if the path leads further.
    struct Found {
        let value: Value
        /// The number of keys of the path that led to it.
        let depth: Int
        /// A scanner at a position some way before it, where an excerpt may begin.
        let context: JSONScanner
    }

    /// The reason why a text is not JSON, with the index of the first wrong byte.
    package enum Failure: Error, Equatable {
        /// The text ends before its value is complete.
        case truncated(at: Int)
        /// The grammar does not allow this byte here.
        case unexpected(at: Int)
        /// More than `maximumDepth` objects and arrays are open.
        case tooDeep(at: Int)
        /// The grammar is right, but the bytes are not UTF-8.
        case notUTF8
    }

    /// The maximum depth. Foundation has the same one; code that is recursive needs a limit.
    static let maximumDepth = 512

    /// The text.
    package let bytes: [UInt8]

    /// Reads and checks a whole text, in one pass over its tokens.
    ///
    /// - Throws: `Failure` if the text is not JSON.
    package init(_ bytes: some Sequence<UInt8>) throws(Failure) {
        self.bytes = Array(bytes)
        var scanner = JSONScanner(self.bytes)
        try scanner.validate()
        // After the scan, so that a text that ends inside a character counts as truncated.
        guard isUTF8(self.bytes) else { throw .notUTF8 }
    }

    /// The outermost value.
    package var root: Value { find([]).value }

    /// Returns the string at a range that includes its quotation marks, with its escapes decoded.
    package func string(at range: Range<Int>) -> String {
        String(decoding: Self.unescaped(bytes[range.dropFirst().dropLast()]), as: UTF8.self)
    }

    /// Returns the value at a coding path, or nil if the text has none there.
    package func value(at path: [any CodingKey]) -> Value? {
        let found = find(path)
        return found.depth == path.count ? found.value : nil
    }

    /// Returns where a coding path leads, in one pass over the text before that value.
    func find(_ path: [any CodingKey]) -> Found {
        var search = Search(JSONScanner(bytes))
        var place = search
        var depth = 0
        for key in path {
            guard search.enter(key) else { break }
            place = search
            depth += 1
        }
        return place.found(depth)
    }

    /// Returns the first keys of an object and the number of all its keys.
    func keys(of object: Value, first limit: Int) -> (keys: [String], count: Int) {
        var scanner = JSONScanner(bytes, at: object.range.lowerBound)
        var keys: [String] = []
        var count = 0
        while !scanner.isComplete, let token = scanner.nextKnown() {
            if case .open = token, scanner.depth > 1 { scanner.skipOpened() }
            guard case .key = token else { continue }
            count += 1
            if keys.count < limit { keys.append(string(at: scanner.frame.key)) }
        }
        return (keys, count)
    }

    /// Returns the number of elements of an array.
    func count(of array: Value) -> Int {
        var scanner = JSONScanner(bytes, at: array.range.lowerBound)
        var count = 0
        while !scanner.isComplete, let token = scanner.nextKnown() {
            if case .open = token, scanner.depth > 1 { scanner.skipOpened() }
            if scanner.depth == 1 { count = scanner.frame.count }
        }
        return count
    }

    /// Returns the text as a JSON string, with its quotation marks.
    package static func quoted(_ text: String) -> String {
        String(decoding: quoted(Array(text.utf8)), as: UTF8.self)
    }

    /// Does the same for bytes.
    static func quoted(_ text: [UInt8]) -> [UInt8] {
        var result = [UInt8(ascii: "\"")]
        result.reserveCapacity(text.count + 2)
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case 0x0a: result += "\\n".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                result += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: result.append(byte)
            }
        }
        return result + [UInt8(ascii: "\"")]
    }

    /// Returns the bytes of a string's content with its escapes decoded.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")) else { return Array(bytes) }
        var units: [UInt16] = []
        var result: [UInt8] = []
        var rest = bytes
        // Escaped UTF-16 code units are collected, because two of them may make one character.
        func flush() {
            if units.isEmpty { return }
            result += String(decoding: units, as: UTF16.self).utf8
            units = []
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                flush()
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "u"):
                units.append(rest.prefix(4).reduce(0) { $0 << 4 | UInt16(hexDigit($1) ?? 0) })
                rest = rest.dropFirst(4)
                continue
            case UInt8(ascii: "b"): units.append(8)
            case UInt8(ascii: "f"): units.append(12)
            case UInt8(ascii: "n"): units.append(10)
            case UInt8(ascii: "r"): units.append(13)
            case UInt8(ascii: "t"): units.append(9)
            default: units.append(UInt16(escape))
            }
        }
        flush()
        return result
    }
}

/// A search for a value in a text that is known to be JSON. Its position is before a value.
private struct Search {
    private var scanner: JSONScanner
    /// Earlier positions, at least a thousand bytes apart. An excerpt begins at the first one.
    private var mark: JSONScanner
    private var nextMark: JSONScanner

    init(_ scanner: JSONScanner) {
        self.scanner = scanner
        (mark, nextMark) = (scanner, scanner)
    }

    /// Returns the value that begins here. `depth` is the number of keys that led to it.
    func found(_ depth: Int) -> JSONText.Found {
        var end = scanner
        let kind: JSONText.Kind
        switch end.nextKnown() {
        case .open(let isObject): kind = isObject ? .object : .array
        case .string: kind = .string
        case .number: kind = .number
        case .boolean: kind = .boolean
        case .null, .key, .close, nil: kind = .null
        }
        if end.depth > scanner.depth { end.skipOpened() }
        return JSONText.Found(
            value: JSONText.Value(kind: kind, range: end.range), depth: depth, context: mark)
    }

    /// Moves to an element or member of the value that begins here. Returns false if it has none.
    mutating func enter(_ key: any CodingKey) -> Bool {
        guard case .open(let isObject) = next() else { return false }
        return isObject
            ? enterMember(key.stringValue) : key.intValue.map { enterElement($0) } ?? false
    }

    private mutating func enterElement(_ index: Int) -> Bool {
        let level = scanner.depth
        repeat {
            if scanner.depth == level, scanner.frame.count == index {
                var probe = scanner
                if case .close = probe.nextKnown() { return false }
                scanner.skipComma()
                return true
            }
        } while nextValue() != nil && scanner.depth >= level
        return false
    }

    private mutating func enterMember(_ name: String) -> Bool {
        let level = scanner.depth
        var similar: Search?
        while let token = nextValue(), scanner.depth >= level {
            guard case .key = token else { continue }
            let key = scanner.bytes[scanner.frame.key.dropFirst().dropLast()]
            if isKey(key, name) { return true }
            // A decoder that converts from snake case asks for "userId" and reads "user_id".
            if similar == nil, isSnakeCase(key, of: name) { similar = self }
        }
        guard let similar else { return false }
        self = similar
        return true
    }

    /// Returns the next token, and updates the marks.
    private mutating func next() -> JSONScanner.Token? {
        if scanner.index - nextMark.index >= 1_000 { (mark, nextMark) = (nextMark, scanner) }
        return scanner.nextKnown()
    }

    /// Does the same, but reads a whole object or array.
    private mutating func nextValue() -> JSONScanner.Token? {
        let token = next()
        guard case .open = token else { return token }
        let start = scanner.index
        scanner.skipOpened()
        // The skipped text is too long to be read again for an excerpt.
        if scanner.index - start > 1_000 { (mark, nextMark) = (scanner, scanner) }
        return token
    }
}

/// Whether the content of a key string is the name.
private func isKey(_ key: ArraySlice<UInt8>, _ name: String) -> Bool {
    if key.elementsEqual(name.utf8) { return true }
    // Strings are compared by canonical equivalence: "é" may be one scalar or two.
    guard key.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return false }
    return String(decoding: JSONText.unescaped(key), as: UTF8.self) == name
}

/// Whether a key is the name, apart from underscores and the case of ASCII letters.
func isSnakeCase(_ key: some Collection<UInt8>, of name: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 0x20 : byte }
    let underscore = UInt8(ascii: "_")
    return key.lazy.filter { $0 != underscore }.map(folded)
        .elementsEqual(name.utf8.lazy.filter { $0 != underscore }.map(folded))
}
