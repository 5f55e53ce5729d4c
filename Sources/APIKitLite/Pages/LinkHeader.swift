import Foundation

/// The links of a `Link` header (RFC 8288), with which many APIs name the next page.
///
///     let links = LinkHeader(#"</users?page=2>; rel="next", </users?page=9>; rel="last""#)
///     links["next"]?.relativeString  // "/users?page=2"
///
/// Links that cannot be parsed are left out; all others are kept.
public struct LinkHeader: Sendable, Equatable {
    /// One link.
    public struct Link: Sendable, Equatable {
        /// The target of the link.
        public let url: URL

        /// The relation types, such as `next`: in lower case, unless one is a URL. Empty without a
        /// `rel` parameter.
        public let relations: [String]

        /// All parameters, `rel` included, by their names in lower case. If one is repeated, the
        /// first counts. If one has no value, its value is empty. Extended values, such as that of
        /// `title*`, are not decoded.
        public let parameters: [String: String]
    }

    /// All links, in order.
    public let links: [Link]

    /// Parses the value of a header.
    ///
    /// - Parameters:
    ///   - text: The value. The values of several headers may be joined with commas.
    ///   - base: The URL for relative links to be resolved against, such as that of the response.
    public init(_ text: String, relativeTo base: URL? = nil) {
        var parser = LinkParser(text)
        var links: [Link] = []
        while let (target, parameters) = parser.next() {
            guard let url = resolve(target, base) else { continue }
            // If `rel` is repeated, the first counts (RFC 8288, section 3.3).
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

    /// The target of the first link with this relation type, or nil if no link has it.
    ///
    /// The case of the relation type makes no difference. A link with an `anchor` parameter
    /// describes another resource and is ignored.
    ///
    /// - Parameter relation: The relation type, such as `next`.
    public subscript(_ relation: String) -> URL? {
        links.first { link in
            link.parameters["anchor"] == nil
                && link.relations.contains { $0.lowercased() == relation.lowercased() }
        }?.url
    }
}

extension HTTPURLResponse {
    /// The links of the response's `Link` header: `response.links["next"]`.
    ///
    /// Relative links are resolved against the URL of the response.
    public var links: LinkHeader {
        LinkHeader(value(forHTTPHeaderField: "Link") ?? "", relativeTo: url)
    }
}

/// Returns the absolute URL of a target, or nil if it is not a URL.
private func resolve(_ target: String, _ base: URL?) -> URL? {
    // An empty target means the resource itself, but Foundation does not accept it as a URL.
    if target.isEmpty { return base }
    return URL(reference: target, relativeTo: base)?.absoluteURL
}

/// A parser of `<target>; name=value; name="value", …` that reads one link at a time (RFC 8288,
/// appendix B.2).
private struct LinkParser {
    private let text: [UInt8]
    private var index = 0

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    /// Returns the next link that begins with a target in angle brackets, or nil at the end.
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

    /// Reads the parameters that follow a target, up to the comma that ends the link.
    private mutating func parameters() -> [(String, String)] {
        var parameters: [(String, String)] = []
        while index < text.count {
            skip(" \t;")
            if index == text.count || text[index] == UInt8(ascii: ",") { break }
            let name = word(until: "=;,")
            let value = take("=") ? value() : ""
            if !name.isEmpty { parameters.append((name.lowercased(), value)) }
            // Text between a quoted value and the next delimiter is ignored.
            _ = word(until: ";,")
        }
        return parameters
    }

    /// Reads the value of a parameter: a quoted string or a plain word.
    private mutating func value() -> String {
        skip(" \t")
        return take("\"") ? quoted() : word(until: ";,")
    }

    /// Reads a quoted string after its opening quotation mark, up to the closing one or the end.
    private mutating func quoted() -> String {
        var bytes: [UInt8] = []
        while index < text.count, !take("\"") {
            if text[index] == UInt8(ascii: "\\"), index + 1 < text.count { index += 1 }
            bytes.append(text[index])
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Skips text that is not a link, up to a comma outside quotation marks.
    private mutating func skipLink() {
        while index < text.count, text[index] != UInt8(ascii: ",") {
            if take("\"") { _ = quoted() } else { index += 1 }
        }
    }

    /// Reads text up to a delimiter, without the white space around it.
    private mutating func word(until delimiters: String) -> String {
        let start = index
        while index < text.count, !delimiters.utf8.contains(text[index]) { index += 1 }
        return string(start..<index).trimmingCharacters(in: .whitespaces)
    }

    private mutating func skip(_ bytes: String) {
        while index < text.count, bytes.utf8.contains(text[index]) { index += 1 }
    }

    /// Skips the byte if it is the next one. Returns whether it was.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: text[range], as: UTF8.self)
    }
}
