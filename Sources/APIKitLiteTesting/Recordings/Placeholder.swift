import Foundation

/// A placeholder in a text: `REDACTED-1`, or `REDACTED-NUMBER-2` for a number in JSON.
struct Placeholder {
    let range: Range<String.Index>
    /// The number of the placeholder. Equal values have the same number.
    let number: String
    /// Whether the placeholder replaces a number in JSON.
    let isNumber: Bool

    private static let mark = "REDACTED-"

    static func mayBe(in text: String) -> Bool { text.contains(mark) }

    /// Whether a body may contain a placeholder.
    static func mayBe(in body: Data) -> Bool { body.range(of: Data(mark.utf8)) != nil }

    /// Whether a text is one placeholder.
    static func isWhole(_ text: String) -> Bool {
        all(in: text).first?.range == text.startIndex..<text.endIndex
    }

    /// Returns the placeholders in a text, in order. A number has at most nine digits.
    static func all(in text: String) -> [Placeholder] {
        guard mayBe(in: text) else { return [] }
        return text.matches(of: /REDACTED-(NUMBER-)?([0-9]{1,9})(?![0-9])/).map { match in
            Placeholder(
                range: match.range, number: String(match.output.2),
                isNumber: match.output.1 != nil)
        }
    }

    /// Returns a text with its placeholders replaced.
    ///
    /// - Parameter replacement: Returns the text for a placeholder, and the range to replace, which
    ///   may be larger.
    static func replacing(
        in text: String, with replacement: (Placeholder) -> (String, Range<String.Index>)
    ) -> String {
        var result = ""
        var position = text.startIndex
        for placeholder in all(in: text) {
            let (new, range) = replacement(placeholder)
            result += text[position..<range.lowerBound] + new
            position = range.upperBound
        }
        return result + text[position...]
    }
}
