import Foundation

/// JSON as `JSONSerialization` reads it: a tree of `[String: Any]`, `[Any]`, `String`, `NSNumber`
/// and `NSNull`.
package enum JSONText {
    /// Returns the tree of a JSON text. If a key is repeated, its last value counts.
    ///
    /// - Throws: An error of Foundation when the text is not JSON: see ``reason(_:)``.
    package static func read(_ text: Data) throws -> Any {
        try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
    }

    /// Returns the text of a tree, on one line and with sorted keys.
    static func write(_ json: Any) -> String {
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: json, options: options)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Returns why a text is not JSON, in the words of Foundation and without quoting the text.
    package static func reason(_ error: any Error) -> String {
        let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return text ?? "The data is not in the correct format."
    }

    /// Returns the text of a string, a number, a Boolean or null, and `nil` for an object or array.
    package static func scalar(_ value: Any) -> String? {
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

    /// Whether a number is `true` or `false`. Of the numbers in JSON, only these have the type
    /// `char`.
    package static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    package static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Returns a text as it is inside the quotation marks of a JSON string.
    package static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case ..<0x20:
                bytes += "\\u\(digits(byte, radix: 16, count: 4))".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the step of a path to a member of an object: `.name`, or `["a-b"]` if the key is not
    /// a word.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(quoted(key))]"
    }

    package static func step(_ index: Int) -> String { "[\(index)]" }
}
