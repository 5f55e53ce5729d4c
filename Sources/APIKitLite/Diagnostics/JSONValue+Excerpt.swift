extension JSONValue {
    /// Returns the redacted beginning of the value on one line.
    ///
    /// - Parameter limit: The length of the result, in bytes.
    package func excerpt(limit: Int) -> String {
        var text = ""
        write(to: &text, upTo: limit + 2 * Excerpt.margin)
        return Excerpt(redacting: text, limit: limit).text(limit: limit)
    }
}
