import Foundation

/// Names and values, in order, for a query, a form, a path or headers.
///
/// A dictionary literal creates the items in the order of the literal. For a dictionary that is
/// known only at run time, call the initializer:
///
///     try URLRequest("GET", base, path: "/books", query: ["author": ids, "page": 2])
///     // GET /books?author=7&author=9&page=2
///     try URLRequest("GET", base, path: "/books", query: RequestItems(filters))
///
/// | value | what a query or form sends |
/// | --- | --- |
/// | nil | nothing: the name is left out |
/// | `""` | the name with an empty value: `q=` |
/// | an array | the name once for each element; nothing if the array is empty |
/// | a Boolean | `true` or `false` |
/// | a number | its digits, never with an exponent: `0.0000001` |
/// | a `URL` | its `absoluteString` |
/// | any other ``RequestValue`` | its raw value or its `description` |
public struct RequestItems: Sendable, ExpressibleByDictionaryLiteral {
    /// A name and a value. Nothing is sent for a nil value.
    struct Item: Sendable {
        let name: String
        let value: (any RequestValue)?

        /// The unescaped strings to send for the value: see ``RequestValue/_requestTexts``.
        var texts: [String] {
            get throws {
                do {
                    return try value?._requestTexts ?? []
                } catch let error as RequestBuildingError {
                    throw RequestBuildingError("The value for", name, error.description)
                }
            }
        }
    }

    let items: [Item]

    /// Creates the items of a literal, in its order. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, (any RequestValue)?)...) {
        items = elements.map { Item(name: $0, value: $1) }
    }

    /// Creates items from a dictionary, sorted by name, or from other pairs, in their order.
    ///
    /// To use the query items of `URLComponents`, map them to pairs:
    ///
    ///     RequestItems(items.map { (key: $0.name, value: $0.value) })
    public init<Value: RequestValue>(_ pairs: some Sequence<(key: String, value: Value)>) {
        let ordered =
            pairs is [String: Value] ? pairs.sorted { $0.key < $1.key } : Array(pairs)
        items = ordered.map { Item(name: $0.key, value: $0.value) }
    }

    /// Returns the names and texts to send. The name of an array is repeated for each element.
    package func texts() throws -> [(name: String, text: String)] {
        try items.flatMap { item in try item.texts.map { (item.name, $0) } }
    }

    /// Encodes names and values, and joins them with `=` and `&`. Without items, returns `""`.
    func encoded(as encoding: PercentEncoding) throws -> String {
        try texts().map { encoding.encode($0) + "=" + encoding.encode($1) }.joined(separator: "&")
    }
}

/// A value of a query, a form, a path or a header.
///
/// Strings, numbers, Booleans, `UUID`, `URL`, and optionals and arrays of these are values. If your
/// own type has a raw value of one of these types, or else is `CustomStringConvertible`, an empty
/// conformance is enough:
///
///     extension Sort: RequestValue {}
public protocol RequestValue: Sendable {
    // The underscore keeps the property out of code completion for every string, number and array.
    /// The unescaped strings to send: one for a plain value, one for each element of an array, none
    /// for nil.
    var _requestTexts: [String] { get throws }
}

extension RequestValue where Self: CustomStringConvertible {
    /// The `description`.
    public var _requestTexts: [String] { [description] }
}

extension RequestValue where Self: RawRepresentable, RawValue: RequestValue {
    /// The strings to send for the raw value.
    public var _requestTexts: [String] { get throws { try rawValue._requestTexts } }
}

extension String: RequestValue {}
extension Substring: RequestValue {}
extension Bool: RequestValue {}
extension Int: RequestValue {}
extension Int8: RequestValue {}
extension Int16: RequestValue {}
extension Int32: RequestValue {}
extension Int64: RequestValue {}
extension UInt: RequestValue {}
extension UInt8: RequestValue {}
extension UInt16: RequestValue {}
extension UInt32: RequestValue {}
extension UInt64: RequestValue {}
extension UUID: RequestValue {}

extension RequestValue where Self: FloatingPoint & CustomStringConvertible {
    /// The `description`, without an exponent.
    ///
    /// - Throws: ``RequestBuildingError`` for a number that is not finite.
    public var _requestTexts: [String] { get throws { [try digits(description, isFinite)] } }
}

/// Returns a number's description without an exponent, which some servers cannot read: `6.6e-05`
/// becomes `0.000066`.
private func digits(_ number: String, _ isFinite: Bool) throws -> String {
    guard isFinite else {
        throw RequestBuildingError("is \(number), which is not a number. Give a finite one.")
    }
    let (mantissa, exponent) = number.cut(at: "e")
    guard let exponent = exponent.flatMap({ Int($0) }) else { return number }
    // The mantissa has one digit before its point. With a positive exponent, the number is whole.
    let digits = mantissa.filter(\.isNumber)
    let count = exponent < 0 ? -exponent - 1 : exponent + 1 - digits.count
    let zeros = String(repeating: "0", count: max(count, 0))
    return mantissa.prefix { $0 == "-" } + (exponent < 0 ? "0." + zeros + digits : digits + zeros)
}

extension Double: RequestValue {}
extension Float: RequestValue {}

extension Decimal: RequestValue {
    /// The `description`.
    ///
    /// - Throws: ``RequestBuildingError`` for a number that is not finite.
    public var _requestTexts: [String] { get throws { [try digits(description, isFinite)] } }
}

extension URL: RequestValue {
    /// The `absoluteString`.
    public var _requestTexts: [String] { [absoluteString] }
}

extension Optional: RequestValue where Wrapped: RequestValue {
    /// The strings to send for the wrapped value. Empty for nil.
    public var _requestTexts: [String] { get throws { try self?._requestTexts ?? [] } }
}

extension Array: RequestValue where Element: RequestValue {
    /// The strings to send for all elements.
    public var _requestTexts: [String] { get throws { try flatMap { try $0._requestTexts } } }
}

// These types have a `description` that no server expects. The compiler shows the message if an app
// uses such a type as a value.

@available(*, unavailable, message: "Choose a format, such as date.formatted(.iso8601).")
extension Date: RequestValue {}

@available(*, unavailable, message: "Give text, such as data.base64EncodedString().")
extension Data: RequestValue {}
