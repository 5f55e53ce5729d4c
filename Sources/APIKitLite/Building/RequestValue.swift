import Foundation

/// A value of a query, a form, a path or a header.
///
/// Texts, numbers, Booleans, `UUID`, `URL`, and optionals and arrays of these are values. For a type of
/// your own that has a `description`, or whose raw value is a value, an empty conformance is enough:
///
///     extension Sort: RequestValue {}
public protocol RequestValue: Sendable {
    // With an underscore, because completion would show it for each text, number and array.
    /// The texts that are sent, unescaped: one for a plain value, one for each element of an array,
    /// none for nil.
    var _requestTexts: [String] { get throws }
}

extension RequestValue where Self: CustomStringConvertible {
    /// The `description`.
    public var _requestTexts: [String] { [description] }
}

extension RequestValue where Self: RawRepresentable, RawValue: RequestValue {
    /// The texts of the raw value.
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
    /// The `description`.
    ///
    /// - Throws: ``RequestBuildingError`` for a number that is not finite.
    public var _requestTexts: [String] { get throws { [try finite(description, isFinite)] } }
}

private func finite(_ number: String, _ isFinite: Bool) throws -> String {
    if isFinite { return number }
    throw RequestBuildingError("is \(number), which is not a number. Give a finite one.")
}

extension Double: RequestValue {}
extension Float: RequestValue {}

extension Decimal: RequestValue {
    public var _requestTexts: [String] { get throws { [try finite(description, isFinite)] } }
}

extension URL: RequestValue {
    public var _requestTexts: [String] { [absoluteString] }
}

extension Optional: RequestValue where Wrapped: RequestValue {
    public var _requestTexts: [String] { get throws { try self?._requestTexts ?? [] } }
}

extension Array: RequestValue where Element: RequestValue {
    public var _requestTexts: [String] { get throws { try flatMap { try $0._requestTexts } } }
}

// These types have a `description` that no server expects. The messages are for the compiler.

@available(*, unavailable, message: "Choose a format, such as date.formatted(.iso8601).")
extension Date: RequestValue {}

@available(*, unavailable, message: "Give text, such as data.base64EncodedString().")
extension Data: RequestValue {}
