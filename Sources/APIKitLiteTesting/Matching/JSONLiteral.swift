import APIKitLite

/// A JSON object or array that is written as a Swift literal.
///
/// ```swift
/// network.stub(
///     .post("/users").json(["name": "Emma"]),
///     .json(["id": 42, "tags": ["new", nil]]))
/// ```
///
/// A variable cannot stand in the literal, except inside a string:
/// `"\(name)"`. For other variables, use `.json(encoding:)`, or JSON text with interpolations.
public struct JSONLiteral: Sendable {
    /// A value inside a literal: a string, a number, a Boolean, `nil`, an object or an array.
    public struct Value: Sendable {
        fileprivate let json: JSONValue
    }

    private let json: JSONValue

    /// The literal as JSON text.
    var text: String { json.compact }
}

// A string literal is not a `JSONLiteral`, so that a `String` always stays JSON text.
extension JSONLiteral: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates a JSON object.
    public init(dictionaryLiteral members: (String, Value)...) {
        json = .object(of: members)
    }

    /// Creates a JSON array.
    public init(arrayLiteral elements: Value...) {
        json = .array(elements.map(\.json))
    }
}

extension JSONLiteral.Value: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates a JSON object.
    public init(dictionaryLiteral members: (String, JSONLiteral.Value)...) {
        json = .object(of: members)
    }

    /// Creates a JSON array.
    public init(arrayLiteral elements: JSONLiteral.Value...) {
        json = .array(elements.map(\.json))
    }
}

extension JSONLiteral.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates a JSON string.
    public init(stringLiteral text: String) {
        json = .string(text)
    }

    /// Creates a JSON number.
    public init(integerLiteral number: Int) {
        json = .number("\(number)")
    }

    /// Creates a JSON number. One that `Double` cannot hold is a configuration error.
    public init(floatLiteral number: Double) {
        json = .number("\(number)")
    }

    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) {
        json = .boolean(value)
    }

    /// Creates `null`.
    public init(nilLiteral: ()) {
        json = .null
    }
}

extension JSONValue {
    /// Returns an object. If a key is repeated, its last value counts.
    fileprivate static func object(of members: [(String, JSONLiteral.Value)]) -> JSONValue {
        .object(Dictionary(members.map { ($0, $1.json) }) { $1 })
    }
}
