extension StringProtocol where SubSequence == Substring {
    /// Returns the texts between the occurrences of an ASCII character, also if they are empty.
    func split(_ separator: Unicode.Scalar) -> [Substring] {
        Substring(self).utf8
            .split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Returns the text before the first occurrence of an ASCII character, and the text after it; if it
    /// does not occur, the whole text and `nil`.
    func cut(at character: Unicode.Scalar) -> (Substring, Substring?) {
        let text = Substring(self)
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: character)) else {
            return (text, nil)
        }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }
}
