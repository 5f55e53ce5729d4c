/// Returns the words of a text, in lower case or as they are. For a long list, a text compiles much
/// faster than an array literal.
package func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map { String($0) })
}

/// Returns a table of the entries of a text, which commas separate: the first word of an entry is
/// its key. It compiles much faster than a dictionary literal.
func table(_ text: String) -> [String: String] {
    text.split { $0 == "," || $0 == "\n" }.reduce(into: [:]) { table, entry in
        let words = entry.split(separator: " ", maxSplits: 1)
        table[String(words[0])] = String(words[1])
    }
}

/// Returns a table that says of each byte whether a text has it.
func byteTable(_ text: String) -> [Bool] { (0...255).map { text.utf8.contains($0) } }
