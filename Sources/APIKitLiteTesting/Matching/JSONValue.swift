import APIKitLite
import Foundation

/// A value parsed from JSON text. White space and the order of keys are not kept.
enum JSONValue: Sendable {
    case object([String: JSONValue])
    case array([JSONValue])
    case string(String)
    /// A number, as Foundation writes it but without a final `.0`.
    case number(String)
    case boolean(Bool)
    case null

    /// Parses JSON. If a key is repeated, its last value counts.
    ///
    /// - Throws: A Foundation error if the data is not JSON: see `JSONText.reason(_:)`.
    init(_ text: Data) throws {
        self.init(tree: try JSONText.read(text))
    }

    private init(tree: Any) {
        switch tree {
        case let object as [String: Any]: self = .object(object.mapValues(JSONValue.init(tree:)))
        case let list as [Any]: self = .array(list.map(JSONValue.init(tree:)))
        case let string as String: self = .string(string)
        case let number as NSNumber where JSONText.isBoolean(number):
            self = .boolean(number.boolValue)
        case let number as NSNumber:
            // Foundation writes the number 1.0 as `1.0` on Linux and as `1` on Apple platforms.
            let text = number.stringValue
            self = .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        default: self = .null
        }
    }

    /// The value as JSON text on one line, with sorted keys and without spaces outside strings.
    var compact: String {
        switch self {
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            let texts = sorted.map { "\(JSONText.write($0.key)):\($0.value.compact)" }
            return "{" + texts.joined(separator: ",") + "}"
        case .array(let elements): return "[\(elements.map(\.compact).joined(separator: ","))]"
        case .string(let string): return JSONText.write(string)
        case .number(let digits): return digits
        case .boolean(let value): return "\(value)"
        case .null: return "null"
        }
    }

    /// Returns whether both values are the same string, number, Boolean or null. If `marks` is
    /// true, the marks in this value's string match as `String.matches(_:marks:)` describes.
    ///
    /// Integers of up to 38 digits are compared exactly. Other numbers are also compared as
    /// `Double`, because encoders write 0.1 with different numbers of digits.
    func isSameScalar(as other: JSONValue, marks: Bool) -> Bool {
        switch (self, other) {
        case (.string(let text), .string(let other)): return text.matches(other, marks: marks)
        // Redaction may have replaced a number of 8 or more characters with 0, whatever its key.
        case (.number("0"), .number(let other)) where marks && other.utf8.count >= 8: return true
        case (.number(let digits), .number(let other)):
            let number = Decimal(string: digits)
            if number != nil, number == Decimal(string: other) { return true }
            let areIntegers = (digits + other).allSatisfy { $0.isNumber || $0 == "-" }
            return !areIntegers && Double(digits) == Double(other)
        case (.boolean(let value), .boolean(let other)): return value == other
        case (.null, .null): return true
        default: return false
        }
    }
}

extension [String: JSONValue] {
    /// Returns the value of the key that equals `key` byte for byte, or nil if there is none. The
    /// subscript also finds a key with the same characters in another Unicode form, but RFC 8259,
    /// section 8.3 treats the two keys as different.
    func value(of key: String) -> JSONValue? {
        index(forKey: key).flatMap { self[$0].key.hasSameBytes(as: key) ? self[$0].value : nil }
    }
}
