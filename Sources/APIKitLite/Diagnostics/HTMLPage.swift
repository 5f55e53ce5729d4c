import Foundation

/// The rules that recognize an HTML page, such as that of a login portal, in place of JSON.
enum HTMLPage {
    /// The number of bytes in which the title is searched for.
    private static let longestHead = 20_000

    /// Returns the text of the `<title>` element near the beginning of a page, or `nil` if it has
    /// none.
    static func title(of page: Data) -> String? {
        let text = String(decoding: page.prefix(longestHead), as: UTF8.self)
        guard let tag = text.range(of: "<title", options: .caseInsensitive),
            let start = text[tag.upperBound...].firstIndex(of: ">"),
            let end = text[start...].range(of: "</title", options: .caseInsensitive)
        else { return nil }
        let words = text[text.index(after: start)..<end.lowerBound].split(
            whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
