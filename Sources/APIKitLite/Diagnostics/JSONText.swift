import Foundation

/// JSON as `JSONSerialization` reads it: a tree of `[String: Any]`, `[Any]`, `String`, `NSNumber`
/// and `NSNull`.
package enum JSONText {
    /// Parses JSON. If a key is repeated, its last value counts.
    ///
    /// - Throws: Foundation's error if the text is not JSON: see ``reason(_:)``.
    package static func read(_ text: Data) throws -> Any {
        try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
    }

    /// Returns why data is not JSON, in Foundation's words, without quoting the data.
    package static func reason(_ error: any Error) -> String {
        let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return text ?? "The data is not in the correct format."
    }

    /// Returns whether a number is `true` or `false`. In parsed JSON, only `true` and `false` have
    /// the Objective-C type `char`.
    package static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    /// Returns the JSON text of a value from `read`. The keys of objects are sorted.
    package static func write(_ value: Any) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: value,
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Returns the path component for a member of an object: `.name`, or `["a-b"]` if the key is
    /// not an identifier.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(write(key))]"
    }
}
