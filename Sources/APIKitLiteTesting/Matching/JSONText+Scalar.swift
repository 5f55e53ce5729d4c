import APIKitLite
import Foundation

extension JSONText {
    /// Returns the text of a string, a number, a Boolean or null, and `nil` for an object or array.
    static func scalar(_ value: Any) -> String? {
        switch value {
        case let string as String: return string
        case let number as NSNumber:
            if isBoolean(number) { return number.boolValue ? "true" : "false" }
            // Foundation writes `1.0` on Linux and `1` on Apple platforms.
            let text = number.stringValue
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case is NSNull: return "null"
        default: return nil
        }
    }
}
