extension JSONValue {
    /// The beginning of the value on one line, redacted.
    package func excerpt(limit: Int) -> String {
        var text = ""
        write(to: &text, upTo: limit + 2 * Excerpt.margin)
        return Excerpt(redacting: text, limit: limit).text(limit: limit)
    }
}
