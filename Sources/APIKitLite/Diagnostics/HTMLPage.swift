import Foundation

/// The rules that recognize an HTML page, such as a login page, in place of JSON.
enum HTMLPage {
    /// The number of bytes in which the title is searched for.
    private static let longestHead = 20_000

    static func isPage(_ body: Data, contentType: String?) -> Bool {
        let start = body.prefix(512).drop { [0x20, 0x0a, 0x0d, 0x09].contains($0) }
        let tag = String(decoding: start.prefix(14), as: UTF8.self).lowercased()
        return tag.hasPrefix("<!doctype html") || tag.hasPrefix("<html")
            || tag.hasPrefix("<") && mediaType(contentType) == "text/html"
    }

    /// Returns the text of the `<title>` element near the beginning of a page, in quotation marks
    /// and redacted; `nil` if the body is no page, or has no title.
    static func title(
        of body: Data, contentType: String?, _ redaction: Redaction
    ) -> String? {
        guard isPage(body, contentType: contentType) else { return nil }
        let text = String(decoding: body.prefix(longestHead), as: UTF8.self)
        guard let tag = text.range(of: "<title", options: .caseInsensitive),
            let start = text[tag.upperBound...].firstIndex(of: ">"),
            let end = text[start...].range(of: "</title", options: .caseInsensitive)
        else { return nil }
        let words = text[text.index(after: start)..<end.lowerBound].split(
            whereSeparator: \.isWhitespace)
        let title = redaction.excerpt(words.joined(separator: " "), limit: 100)
        return words.isEmpty ? nil : title.debugDescription
    }
}
