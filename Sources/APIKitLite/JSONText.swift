import Foundation

/// Where the values of a JSON text stand, without changing a byte of it.
///
/// `JSONSerialization` gives the values but not their places, and loses what it does not need:
/// order, repeated keys, the digits of a number.
package struct JSONText: Sendable {
    /// A value, and the bytes it takes up.
    package struct Value: Sendable {
        package let kind: Kind
        package let range: Range<Int>
    }

    package enum Kind: Sendable {
        case object([Member])
        case array([Value])
        case string, number, boolean, null
    }

    /// A key and its value. `key` is unescaped, `keyRange` includes the quotation marks.
    package struct Member: Sendable {
        package let key: String
        package let keyRange: Range<Int>
        package let value: Value
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
    package let root: Value

    /// Reads a whole text, in one pass.
    package init(_ bytes: some Sequence<UInt8>) throws(Failure) {
        self.bytes = Array(bytes)
        var scanner = JSONScanner(bytes: self.bytes)
        root = try scanner.document()
        // After the scan, so that a text cut inside a character counts as truncated.
        guard String(bytes: self.bytes, encoding: .utf8) != nil else { throw .notUTF8 }
    }

    /// The string that stands at the range, quotation marks included, without its escapes.
    package func string(at range: Range<Int>) -> String {
        Self.unescaped(bytes[range.dropFirst().dropLast()])
    }

    /// The value at a coding path, as far as the text has one.
    package func value(at path: [any CodingKey]) -> Value? {
        var value = root
        for key in path {
            switch value.kind {
            case .array(let elements):
                guard let index = key.intValue, elements.indices.contains(index) else { return nil }
                value = elements[index]
            case .object(let members):
                let name = key.stringValue
                // A decoder that converts from snake case asks for "userId" and reads "user_id".
                guard
                    let member = members.first(where: { $0.key == name })
                        ?? members.first(where: { Self.isSnakeCase($0.key, of: name) })
                else { return nil }
                value = member.value
            default:
                return nil
            }
        }
        return value
    }

    private static func isSnakeCase(_ key: String, of name: String) -> Bool {
        key.lowercased().filter { $0 != "_" } == name.lowercased().filter { $0 != "_" }
    }

    /// A JSON string that stands for the text, with its quotation marks.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var result: [UInt8] = []
        var rest = bytes
        // Escaped UTF-16 units are collected, since only two halves make a character.
        func flush() {
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
        return String(decoding: result, as: UTF8.self)
    }
}
