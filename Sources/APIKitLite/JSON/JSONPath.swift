/// The text of the path to a JSON value, in errors, matchers and faults: `$.items[1]["a-b"]`.
package enum JSONPath {
    /// Returns the step to a member of an object: `.name`, or `["a-b"]` if the key is not a word.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(JSONText.quoted(key))]"
    }

    /// Returns the step to an element of an array: `[1]`.
    package static func step(_ index: Int) -> String { "[\(index)]" }
}
