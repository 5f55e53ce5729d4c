import Foundation

/// Joins names and values with `=` and `&`, in the given order.
///
/// An item whose value is nil is left out.
///
/// - Returns: The encoded text; `""` if no item is left.
/// - Throws: ``RequestBuildingError/unusableValue(name:reason:)``, as `plainText(_:name:)` does.
func encodedItems(
    _ items: KeyValuePairs<String, (any CustomStringConvertible)?>, as encoding: PercentEncoding
) throws -> String {
    try items.compactMap { name, value in
        guard let value else { return nil }
        if value is QueryFlag { return encoding.encode(name) }
        return encoding.encode(name) + "=" + encoding.encode(try plainText(value, name: name))
    }.joined(separator: "&")
}

/// Returns the text of a value in a path, a query or a form.
///
/// - Throws: ``RequestBuildingError/unusableValue(name:reason:)`` for a list, whose description
///   would be `[1, 2]`, and for a number that is not finite.
func plainText(_ value: any CustomStringConvertible, name: String) throws -> String {
    if value is any Sequence, !(value is any StringProtocol) {
        throw RequestBuildingError.unusableValue(
            name: name, reason: "is a list. Repeat the name, once for each element.")
    }
    if !isFinite(value) {
        throw RequestBuildingError.unusableValue(
            name: name, reason: "is \(value), which is not a number. Give a finite one.")
    }
    return value.description
}

private func isFinite(_ value: any CustomStringConvertible) -> Bool {
    switch value {
    case let number as any FloatingPoint: number.isFinite
    case let number as Decimal: !number.isNaN
    case let number as NSNumber: number.doubleValue.isFinite
    default: true
    }
}
