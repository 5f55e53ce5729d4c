extension StringProtocol where SubSequence == Substring {
    /// Returns the texts between the occurrences of a character, also if they are empty.
    func split(_ separator: Unicode.Scalar) -> [Substring] {
        Substring(self).unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Returns the text before the first occurrence of a character, and the text after it; if it
    /// does not occur, the whole text and `nil`.
    func cut(at character: Unicode.Scalar) -> (Substring, Substring?) {
        let text = Substring(self)
        guard let index = text.unicodeScalars.firstIndex(of: character) else { return (text, nil) }
        return (text[..<index], text[text.unicodeScalars.index(after: index)...])
    }
}
