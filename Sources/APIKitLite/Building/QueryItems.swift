import Foundation

/// Joins names and values with `=` and `&`, in the order given.
///
/// - Returns: `""` when there is nothing to send, since nil leaves its item out.
/// - Throws: ``RequestBuildingError/unusableValue(name:reason:)``, as ``plainText(_:name:)``.
func encodedItems(
    _ items: KeyValuePairs<String, (any CustomStringConvertible)?>, as encoding: PercentEncoding
) throws -> String {
    try items.compactMap { name, value in
        guard let value else { return nil }
        if value is QueryFlag { return encoding.encode(name) }
        return encoding.encode(name) + "=" + encoding.encode(try plainText(value, name: name))
    }.joined(separator: "&")
}

/// The text that stands for a value in a path, a query or a form.
///
/// - Throws: ``RequestBuildingError/unusableValue(name:reason:)`` for lists, which describe
///   themselves as `[1, 2]`, and for numbers that are not finite.
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
