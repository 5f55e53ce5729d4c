import Foundation

/// The links of a `Link` header (RFC 8288), by which many APIs name the next page.
///
///     let links = LinkHeader(#"</users?page=2>; rel="next", </users?page=9>; rel="last""#)
///     links["next"]?.relativeString  // "/users?page=2"
///
/// What cannot be read is left out; the rest is kept.
public struct LinkHeader: Sendable, Equatable {
    /// One link.
    public struct Link: Sendable, Equatable {
        /// Where it leads.
        public let url: URL

        /// What it leads to, such as `next`; in lower case unless it is a URL. Empty without `rel`.
        public let relations: [String]

        /// All its parameters, `rel` too, by names in lower case. Of a repeated one, the first.
        /// `title*` and the like are not decoded; one without a value has an empty one.
        public let parameters: [String: String]
    }

    /// All links, in order.
    public let links: [Link]

    /// Reads a header's value.
    ///
    /// - Parameters:
    ///   - text: The value; several headers may be joined by a comma.
    ///   - base: What relative links are relative to: the URL of the response.
    public init(_ text: String, relativeTo base: URL? = nil) {
        var parser = LinkParser(text)
        var links: [Link] = []
        while let (target, parameters) = parser.next() {
            guard let url = resolve(target, base) else { continue }
            // The first of several counts (RFC 8288, section 3.3), so the last is put in first.
            let named = Dictionary(parameters) { first, _ in first }
            let relations = (named["rel"] ?? "").split(whereSeparator: \.isWhitespace)
            links.append(
                Link(
                    url: url,
                    relations: relations.map { $0.contains(":") ? String($0) : $0.lowercased() },
                    parameters: named))
        }
        self.links = links
    }

    /// Where the first link of this relation leads. Case makes no difference.
    ///
    /// A link with an `anchor` speaks of another resource, and is passed over.
    public subscript(_ relation: String) -> URL? {
        links.first { link in
            link.parameters["anchor"] == nil
                && link.relations.contains { $0.lowercased() == relation.lowercased() }
        }?.url
    }
}

extension HTTPURLResponse {
    /// The links of the response's `Link` header: `response.links["next"]`. Relative ones are
    /// resolved against the URL of the response.
    public var links: LinkHeader {
        LinkHeader(value(forHTTPHeaderField: "Link") ?? "", relativeTo: url)
    }
}

private func resolve(_ target: String, _ base: URL?) -> URL? {
    // An empty one means the resource itself; Foundation takes it for no URL.
    if target.isEmpty { return base }
    return URL(string: target, relativeTo: base)?.absoluteURL
}

/// Reads `<target>; name=value; name="value", …` one link at a time (RFC 8288, appendix B.2).
private struct LinkParser {
    private let text: [UInt8]
    private var index = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    /// The next link that begins with a target in angle brackets; nil at the end.
    mutating func next() -> (target: String, parameters: [(String, String)])? {
        while index < text.count {
            skip(" \t,")
            guard take("<") else {
                skipLink()
                continue
            }
            let start = index
            guard let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else { break }
            index = end + 1
            let target = string(start..<end).trimmingCharacters(in: .whitespaces)
            return (target, parameters())
        }
        index = text.count
        return nil
    }

    /// What follows a target, up to the comma that ends the link.
    private mutating func parameters() -> [(String, String)] {
        var parameters: [(String, String)] = []
        while index < text.count {
            skip(" \t;")
            if index == text.count || text[index] == UInt8(ascii: ",") { break }
            let name = word(until: "=;,")
            let value = take("=") ? value() : ""
            if !name.isEmpty { parameters.append((name.lowercased(), value)) }
            // What stands between a quoted value and the next delimiter means nothing.
            _ = word(until: ";,")
        }
        return parameters
    }

    private mutating func value() -> String {
        skip(" \t")
        return take("\"") ? quoted() : word(until: ";,")
    }

    /// The rest of a quoted string; all that is left, where it does not end.
    private mutating func quoted() -> String {
        var bytes: [UInt8] = []
        while index < text.count, !take("\"") {
            if text[index] == UInt8(ascii: "\\"), index + 1 < text.count { index += 1 }
            bytes.append(text[index])
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes over what is no link, up to a comma outside quotes.
    private mutating func skipLink() {
        while index < text.count, text[index] != UInt8(ascii: ",") {
            if take("\"") { _ = quoted() } else { index += 1 }
        }
    }

    private mutating func word(until delimiters: String) -> String {
        let start = index
        while index < text.count, !delimiters.utf8.contains(text[index]) { index += 1 }
        return string(start..<index).trimmingCharacters(in: .whitespaces)
    }

    private mutating func skip(_ bytes: String) {
        while index < text.count, bytes.utf8.contains(text[index]) { index += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: text[range], as: UTF8.self)
    }
}
