/// A short piece of a text, around the place that matters.
package struct Excerpt {
    private let bytes: [UInt8]
    private let focus: Range<Int>?

    /// - Parameter onOneLine: Whether line breaks become spaces.
    package init(_ text: String, onOneLine: Bool = true) {
        self.init(Array(text.utf8), focus: nil, onOneLine: onOneLine)
    }

    /// - Parameter focus: The bytes of the original JSON that the excerpt is about.
    init(_ json: JSONText, focus: Range<Int>?, redaction: Redaction) {
        let edits = redaction.edits(in: json)
        self.init(
            Edit.apply(edits, to: json.bytes), focus: focus.map { Edit.move($0, along: edits) })
    }

    private init(_ bytes: [UInt8], focus: Range<Int>?, onOneLine: Bool = true) {
        let edits = onOneLine ? Self.foldedLines(of: bytes) : []
        self.bytes = Edit.apply(edits, to: bytes)
        self.focus = focus.map { Edit.move($0, along: edits) }
    }

    /// At most so many bytes, cut between characters, with `…` where something is left out.
    package func text(limit: Int = 200) -> String {
        guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
        let mark = "…"
        let room = limit - 2 * mark.utf8.count
        let focus = focus ?? 0..<0
        // A long value is shown from its beginning, with the key before it.
        let before = max(40, (room - focus.count) / 2)
        var start = min(max(0, focus.lowerBound - before), bytes.count - room)
        var end = start + room
        while start < end, bytes[start] & 0xc0 == 0x80 { start += 1 }
        while end > start, end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return (start > 0 ? mark : "") + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count ? mark : "")
    }

    /// Line breaks and the indentation after them, each to become one space.
    private static func foldedLines(of bytes: [UInt8]) -> [Edit] {
        var edits: [Edit] = []
        var index = 0
        while index < bytes.count {
            let start = index
            while index < bytes.count, bytes[index] < 0x20 || index > start && bytes[index] == 0x20
            {
                index += 1
            }
            if index > start {
                edits.append(Edit(range: start..<index, replacement: [0x20]))
            } else {
                index += 1
            }
        }
        return edits
    }
}
