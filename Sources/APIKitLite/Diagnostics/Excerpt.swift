import Foundation

/// A short part of a text, around the place that matters, with secrets redacted.
///
/// Of a long text, only the part that may be shown and `margin` bytes more are redacted.
package struct Excerpt {
    /// The number of bytes that are redacted beyond the limit.
    ///
    /// Redaction can make a text shorter, and the excerpt must still fill its limit.
    static let margin = 2_000

    /// The redacted text. It may be longer than the excerpt.
    private let bytes: [UInt8]
    /// The range of `bytes` that matters.
    private let focus: Range<Int>?
    /// Whether the original text has more bytes before `bytes`.
    private var isCutBefore = false
    /// Whether the original text has more bytes after `bytes`.
    private var isCutAfter = false

    /// Creates an excerpt of a text without redacting it.
    ///
    /// - Parameters:
    ///   - text: A text that contains no secrets.
    ///   - onOneLine: Whether a line break and the spaces after it become one space.
    package init(_ text: String, onOneLine: Bool = true) {
        self.init(Array(text.utf8), focus: nil, onOneLine: onOneLine)
    }

    /// Creates an excerpt of the beginning of a text, and redacts it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - redaction: The names of the secrets.
    ///   - limit: The length of the excerpt, in bytes.
    ///   - onOneLine: Whether a line break and the spaces after it become one space.
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

    /// Creates an excerpt of the beginning of a URL, and redacts it.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - redaction: The names of the secrets.
    ///   - limit: The length of the excerpt, in bytes.
    package init(url: String, with redaction: Redaction = .standard, limit: Int) {
        let (part, isCut) = Self.beginning(
            of: Array(url.utf8.prefix(limit + Self.margin + 4)), limit)
        self.init(
            redaction.isEmpty ? part : redaction.reference(part[...], depth: 0, isCut: isCut),
            focus: nil, onOneLine: false)
        isCutAfter = isCut
    }

    /// Creates an excerpt of the beginning of a body, and redacts it.
    ///
    /// Returns `nil` if the body is not UTF-8, or if it is redacted and is neither JSON nor a form.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of the `Content-Type` header.
    ///   - redaction: The names of the secrets.
    ///   - limit: The length of the excerpt, in bytes.
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

    /// Creates an excerpt of JSON around a value, or of its beginning, and redacts it.
    ///
    /// - Parameters:
    ///   - json: The JSON.
    ///   - found: The value, or `nil` for the beginning.
    ///   - redaction: The names of the secrets.
    ///   - limit: The length of the excerpt, in bytes.
    init(_ json: JSONText, _ found: JSONText.Found?, _ redaction: Redaction, _ limit: Int) {
        let context = found?.context ?? JSONScanner(json.bytes)
        let focus = found?.value.range ?? 0..<0
        // At index 3 only a byte order mark precedes the JSON, and the excerpt includes it.
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

    /// Creates an excerpt of redacted bytes.
    private init(_ bytes: [UInt8], focus: Range<Int>?, onOneLine: Bool) {
        let edits = onOneLine ? Self.foldedLines(of: bytes) : []
        self.bytes = Edit.apply(edits, to: bytes, in: 0..<bytes.count)
        self.focus = focus.map { Edit.move($0, along: edits, from: 0) }
    }

    /// The first `limit + margin` bytes of a text, cut between two characters.
    private static func beginning(of text: [UInt8], _ limit: Int) -> ([UInt8], isCut: Bool) {
        let end = end(of: text, limit + margin)
        return (Array(text[..<end]), end < text.count)
    }

    /// The last place between two characters that is not after the limit.
    private static func end(of bytes: [UInt8], _ limit: Int) -> Int {
        guard limit < bytes.count else { return bytes.count }
        var end = limit
        while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return end
    }

    /// Returns the excerpt, cut between two characters, with `…` where text is left out.
    ///
    /// - Parameter limit: The length of the result, in bytes.
    package func text(limit: Int = 200) -> String {
        let mark = "…"
        var room = limit
        if bytes.count > limit || isCutBefore || isCutAfter { room -= 2 * mark.utf8.count }
        let focus = focus ?? 0..<0
        // At least 40 bytes before the value, so that the excerpt includes its key.
        let before = max(40, (room - focus.count) / 2)
        var start = max(0, min(max(0, focus.lowerBound - before), bytes.count - room))
        var end = min(start + room, bytes.count)
        while start < end, bytes[start] & 0xc0 == 0x80 { start += 1 }
        while end > start, end < bytes.count, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return (start > 0 || isCutBefore ? mark : "")
            + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count || isCutAfter ? mark : "")
    }

    /// Edits that replace each run of control characters, and the spaces in it, with one space.
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
