import Foundation

/// Where the values of a JSON text stand, without changing a byte of it.
///
/// `JSONSerialization` gives the values but not their places, and loses what it does not need:
/// order, repeated keys, the digits of a number. No tree is kept: what is asked for is looked up.
package struct JSONText: Sendable {
    /// A value, and the bytes it takes up.
    package struct Value: Sendable {
        package let kind: Kind
        package let range: Range<Int>
    }

    package enum Kind: Sendable {
        case object, array, string, number, boolean, null
    }

    /// What a coding path leads to, or the last thing on the way there.
    struct Found {
        let value: Value
        /// How many keys of the path led to it.
        let depth: Int
        /// A place some way before it, where reading may begin.
        let context: JSONScanner
    }

    /// Why a text is not JSON, with the byte at which that shows.
    package enum Failure: Error, Equatable {
        case truncated(at: Int)
        case unexpected(at: Int)
        case tooDeep(at: Int)
        case notUTF8
    }

    /// As deep as Foundation reads; each level takes a little of the stack.
    static let maximumDepth = 512

    package let bytes: [UInt8]

    /// Reads a whole text, in one pass.
    package init(_ bytes: some Sequence<UInt8>) throws(Failure) {
        self.bytes = Array(bytes)
        var scanner = JSONScanner(self.bytes)
        try scanner.validate()
        // After the scan, so that a text cut inside a character counts as truncated.
        guard isUTF8(self.bytes) else { throw .notUTF8 }
    }

    /// The outermost value.
    package var root: Value { find([]).value }

    /// The string that stands at the range, quotation marks included, without its escapes.
    package func string(at range: Range<Int>) -> String {
        String(decoding: Self.unescaped(bytes[range.dropFirst().dropLast()]), as: UTF8.self)
    }

    /// The value at a coding path, as far as the text has one.
    package func value(at path: [any CodingKey]) -> Value? {
        let found = find(path)
        return found.depth == path.count ? found.value : nil
    }

    /// Where a coding path leads, in one pass over what stands before it.
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

    /// The first keys of an object, and how many it has.
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

    /// How many elements an array has.
    func count(of array: Value) -> Int {
        var scanner = JSONScanner(bytes, at: array.range.lowerBound)
        var count = 0
        while !scanner.isComplete, let token = scanner.nextKnown() {
            if case .open = token, scanner.depth > 1 { scanner.skipOpened() }
            if scanner.depth == 1 { count = scanner.frame.count }
        }
        return count
    }

    /// A JSON string that stands for the text, with its quotation marks.
    package static func quoted(_ text: String) -> String {
        String(decoding: quoted(Array(text.utf8)), as: UTF8.self)
    }

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

    static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")) else { return Array(bytes) }
        var units: [UInt16] = []
        var result: [UInt8] = []
        var rest = bytes
        // Escaped UTF-16 units are collected, since only two halves make a character.
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

/// A way down a text that is known to be JSON. It stands before a value.
private struct Search {
    private var scanner: JSONScanner
    /// Places on the way, a thousand bytes apart at least.
    private var mark: JSONScanner
    private var nextMark: JSONScanner

    init(_ scanner: JSONScanner) {
        self.scanner = scanner
        (mark, nextMark) = (scanner, scanner)
    }

    /// The value that begins here, after so many keys.
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

    /// Goes to the element or member of the value that begins here; false if there is none.
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

    private mutating func next() -> JSONScanner.Token? {
        if scanner.index - nextMark.index >= 1_000 { (mark, nextMark) = (nextMark, scanner) }
        return scanner.nextKnown()
    }

    /// The same, past the whole of an object or array.
    private mutating func nextValue() -> JSONScanner.Token? {
        let token = next()
        guard case .open = token else { return token }
        let start = scanner.index
        scanner.skipOpened()
        // What stands before is too much to be read again.
        if scanner.index - start > 1_000 { (mark, nextMark) = (scanner, scanner) }
        return token
    }
}

private func isKey(_ key: ArraySlice<UInt8>, _ name: String) -> Bool {
    if key.elementsEqual(name.utf8) { return true }
    // As strings are compared, "é" may be one scalar or two.
    guard key.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return false }
    return String(decoding: JSONText.unescaped(key), as: UTF8.self) == name
}

private func isSnakeCase(_ key: ArraySlice<UInt8>, of name: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 0x20 : byte }
    let underscore = UInt8(ascii: "_")
    return key.lazy.filter { $0 != underscore }.map(folded)
        .elementsEqual(name.utf8.lazy.filter { $0 != underscore }.map(folded))
}
