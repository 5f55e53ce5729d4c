extension JSONValue {
    /// Returns the redacted beginning of the value on one line.
    ///
    /// - Parameters:
    ///   - limit: The length of the result, in bytes.
    ///   - redaction: The secrets to hide.
    package func excerpt(limit: Int, redacting redaction: Redaction) -> String {
        var text = ""
        write(to: &text, upTo: limit + 2 * Excerpt.margin)
        return Excerpt(redacting: text, with: redaction, limit: limit).text(limit: limit)
    }
}
