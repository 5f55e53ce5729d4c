import Foundation

/// The links of a `Link` header (RFC 8288), with which many APIs name the next page.
///
///     let links = LinkHeader(#"</users?page=2>; rel="next", </users?page=9>; rel="last""#)
///     links["next"]?.relativeString  // "/users?page=2"
///
/// Links that cannot be parsed are left out; all others are kept.
public struct LinkHeader: Sendable, Equatable {
    /// The targets by relation types, in lower case.
    private var targets: [String: URL] = [:]

    /// Parses the value of a header.
    ///
    /// - Parameters:
    ///   - text: The value. The values of several headers may be joined with commas.
    ///   - base: The base URL of relative links, such as the URL of the response.
    public init(_ text: String, relativeTo base: URL? = nil) {
        for link in links(of: text) {
            guard link.hasPrefix("<"), let end = link.firstIndex(of: ">"),
                let url = resolve(String(link[..<end].dropFirst()), base)
            else { continue }
            let parameters = String(link[end...])
            // A link with an anchor is one of another resource.
            if headerParameter("anchor", of: parameters) != nil { continue }
            let relations = headerParameter("rel", of: parameters) ?? ""
            for relation in relations.lowercased().split(whereSeparator: \.isWhitespace) {
                targets[String(relation)] = targets[String(relation)] ?? url
            }
        }
    }

    /// The target of the first link with this relation type, or nil if no link has it.
    ///
    /// The case of the relation type makes no difference. A link with an `anchor` parameter
    /// describes another resource and is ignored.
    ///
    /// - Parameter relation: The relation type, such as `next`.
    public subscript(_ relation: String) -> URL? { targets[relation.lowercased()] }
}

extension HTTPURLResponse {
    /// The links of the response's `Link` header: `response.links["next"]`.
    ///
    /// Relative links are resolved against the URL of the response.
    public var links: LinkHeader {
        LinkHeader(value(forHTTPHeaderField: "Link") ?? "", relativeTo: url)
    }
}

private func resolve(_ target: String, _ base: URL?) -> URL? {
    let target = target.trimmingCharacters(in: .whitespaces)
    // An empty target means the resource itself, but Foundation does not accept it as a URL.
    return target.isEmpty ? base : URL(reference: target, relativeTo: base)?.absoluteURL
}

/// Splits a header at the commas that are neither in a target nor in a quoted value.
private func links(of header: String) -> [String] {
    var links: [[UInt8]] = [[]]
    /// The byte that ends the target or the quoted value.
    var end: UInt8?
    var isEscaped = false
    for byte in header.utf8 {
        if end == nil, byte == UInt8(ascii: ",") {
            links.append([])
            continue
        }
        links[links.count - 1].append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == end {
            end = nil
        } else if end == nil {
            if byte == UInt8(ascii: "<") { end = UInt8(ascii: ">") }
            if byte == UInt8(ascii: "\"") { end = byte }
        } else {
            isEscaped = byte == UInt8(ascii: "\\") && end == UInt8(ascii: "\"")
        }
    }
    return links.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
}
