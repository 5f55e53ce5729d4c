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

    /// Returns the index of the byte at which a text is not JSON, if the error has it.
    static func place(of error: any Error) -> Int? {
        let place = (error as NSError).userInfo["NSJSONSerializationErrorIndex"] as? Int
        return place ?? reason(error).firstMatch(of: /character (\d+)/).flatMap { Int($0.output.1) }
    }

    /// Whether a number is `true` or `false`. Of the numbers in JSON, only these have the type
    /// `char`.
    package static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    package static func quoted(_ text: String) -> String { write(text) }

    /// Returns the step of a path to a member of an object: `.name`, or `["a-b"]` if the key is not
    /// a word.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(quoted(key))]"
    }

    package static func step(_ index: Int) -> String { "[\(index)]" }
}
