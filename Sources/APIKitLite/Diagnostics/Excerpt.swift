import Foundation

/// A short piece of a text, around the place that matters.
///
/// Of a long text only what may be shown of it is read: see ``margin``.
package struct Excerpt {
    /// So many bytes are redacted beyond those that are asked for, since redaction makes a text
    /// shorter.
    static let margin = 2_000

    private let bytes: [UInt8]
    private let focus: Range<Int>?
    private var isCutBefore = false
    private var isCutAfter = false

    /// - Parameter onOneLine: Whether line breaks become spaces.
    package init(_ text: String, onOneLine: Bool = true) {
        self.init(Array(text.utf8), focus: nil, onOneLine: onOneLine)
    }

    /// The beginning of a text, redacted.
    package init(
        redacting text: String, with redaction: Redaction = .standard, limit: Int,
        onOneLine: Bool = true
    ) {
        let (part, isCut) = Self.beginning(
            of: Array(text.utf8.prefix(limit + Self.margin + 4)), limit)
        let shown = redaction.isEmpty ? nil : redaction.redacted(part, depth: 0, isCut: isCut)
        self.init(shown ?? part, focus: nil, onOneLine: onOneLine)
        isCutAfter = isCut
    }

    /// The beginning of a URL, redacted.
    package init(url: String, with redaction: Redaction = .standard, limit: Int) {
        let (part, isCut) = Self.beginning(
            of: Array(url.utf8.prefix(limit + Self.margin + 4)), limit)
        self.init(
            redaction.isEmpty ? part : redaction.reference(part[...], depth: 0, isCut: isCut),
            focus: nil, onOneLine: false)
        isCutAfter = isCut
    }

    /// The beginning of a body, redacted; nil if it cannot be read.
    package init?(body: Data, contentType: String?, redaction: Redaction = .standard, limit: Int) {
        if !redaction.isEmpty, let json = try? JSONText(body) {
            self.init(json, nil, redaction, limit)
            return
        }
        let isForm = mediaType(contentType) == Redaction.formType
        guard isForm || redaction.isEmpty, isUTF8(Array(body)) else { return nil }
        let (part, isCut) = Self.beginning(of: Array(body.prefix(limit + Self.margin + 4)), limit)
        let text = String(decoding: part, as: UTF8.self)
        self.init(
            Array(redaction.items(text, isCut: isCut).utf8), focus: nil, onOneLine: true)
        isCutAfter = isCut
    }

    /// Where a coding path has led in JSON, redacted.
    init(_ json: JSONText, _ found: JSONText.Found?, _ redaction: Redaction, _ limit: Int) {
        let context = found?.context ?? JSONScanner(json.bytes)
        let focus = found?.value.range ?? 0..<0
        // From the beginning, also of what stands before it: the byte order mark.
        let start = context.index <= 3 ? 0 : context.index
        let end = Self.end(of: json.bytes, max(start, focus.lowerBound) + limit + Self.margin)
        let isCut = end < json.bytes.count
        let scanner = isCut ? context.cut(at: end) : context
        let edits =
            redaction.edits(
                in: scanner, depth: 0, isCut: isCut, longest: limit + Self.margin) ?? []
        self.init(
            Edit.apply(edits, to: json.bytes, in: start..<end),
            focus: found.map { _ in
                Edit.move(focus.clamped(to: start..<end), along: edits, from: start)
            }, onOneLine: true)
        isCutBefore = start > 0
        isCutAfter = isCut
    }

    private init(_ bytes: [UInt8], focus: Range<Int>?, onOneLine: Bool) {
        let edits = onOneLine ? Self.foldedLines(of: bytes) : []
        self.bytes = Edit.apply(edits, to: bytes, in: 0..<bytes.count)
        self.focus = focus.map { Edit.move($0, along: edits, from: 0) }
    }

    private static func beginning(of text: [UInt8], _ limit: Int) -> ([UInt8], isCut: Bool) {
        let end = end(of: text, limit + margin)
        return (Array(text[..<end]), end < text.count)
    }

    /// A place between two characters, near to the one that is asked for.
    private static func end(of bytes: [UInt8], _ limit: Int) -> Int {
        guard limit < bytes.count else { return bytes.count }
        var end = limit
        while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return end
    }

    /// At most so many bytes, cut between characters, with `…` where something is left out.
    package func text(limit: Int = 200) -> String {
        let mark = "…"
        var room = limit
        if bytes.count > limit || isCutBefore || isCutAfter { room -= 2 * mark.utf8.count }
        let focus = focus ?? 0..<0
        // A long value is shown from its beginning, with the key before it.
        let before = max(40, (room - focus.count) / 2)
        var start = max(0, min(max(0, focus.lowerBound - before), bytes.count - room))
        var end = min(start + room, bytes.count)
        while start < end, bytes[start] & 0xc0 == 0x80 { start += 1 }
        while end > start, end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return (start > 0 || isCutBefore ? mark : "")
            + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count || isCutAfter ? mark : "")
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
