/// Writes the way to a JSON value, in errors, matchers and faults alike: `$.items[1]["a-b"]`.
package enum JSONPath {
    /// What leads to a member: `.name`, or in brackets what is no word.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(JSONText.quoted(key))]"
    }

    /// What leads to an element.
    package static func step(_ index: Int) -> String { "[\(index)]" }
}
