extension String {
    /// Returns at most `limit` bytes of the text, cut between two Unicode scalars, with `…` at a
    /// cut. If `onOneLine` is true, the parts between control characters are joined by spaces.
    package func excerpt(limit: Int = 200, onOneLine: Bool = true) -> String {
        let start = String(beginning(max(limit, 10_000)))
        let text = onOneLine ? start.onOneLine : start
        if text.utf8.count <= limit, start.utf8.count == utf8.count { return text }
        return text.beginning(limit - "…".utf8.count) + "…"
    }

    /// Returns the first bytes of the text, up to `limit`, cut between two Unicode scalars.
    func beginning(_ limit: Int) -> Substring {
        guard utf8.count > limit else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end]
    }

    /// The nonempty parts between control characters, without leading spaces, joined by spaces. A
    /// text without control characters is unchanged.
    private var onOneLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        let lines = unicodeScalars.split(whereSeparator: \.isControl).map { $0.drop { $0 == " " } }
        return lines.filter { !$0.isEmpty }.map { String($0) }.joined(separator: " ")
    }

    /// The text without control characters, which could be a server's commands to a terminal. Line
    /// feeds and tabs are kept.
    var withoutControls: String {
        String(unicodeScalars.filter { !$0.isControl || $0 == "\n" || $0 == "\t" })
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, a line or paragraph separator, or changes the
    /// text direction. Joiners and direction marks are not included, because emoji and many
    /// languages need them.
    fileprivate var isControl: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
