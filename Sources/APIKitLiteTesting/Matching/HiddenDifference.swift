import APIKitLite

/// The words for two different values that a text must not show.
///
/// They say the kind and the size of each value, and nothing of its content: a position or a hash
/// would help to guess a short secret.
enum HiddenDifference {
    /// Returns what a request has in place of an expected text.
    static func text(_ actual: String, insteadOf expected: String) -> String {
        let (size, expectedSize) = (actual.utf8.count, expected.utf8.count)
        return size == expectedSize
            ? "another value of \(byteCount(size))"
            : "a value of \(byteCount(size)), not of \(byteCount(expectedSize))"
    }

    /// Returns how a JSON value differs from an expected one.
    static func text(expected: JSONValue, actual: JSONValue) -> String {
        let (noun, expectedNoun) = (noun(for: actual), noun(for: expected))
        let article = noun == expectedNoun ? "another" : "a"
        return "expected a \(expectedNoun), got \(article) \(noun)"
    }

    private static func noun(for value: JSONValue) -> String {
        switch value {
        case .string(let text): "secret string of \(byteCount(text.utf8.count))"
        case .number(let text): "secret number of \(byteCount(text.utf8.count))"
        case .object: "secret object"
        case .array(let elements): "secret array of \(elements.count)"
        case .boolean, .null: "secret value"
        }
    }
}
