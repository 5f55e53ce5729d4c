import Foundation

extension HTTPURLResponse {
    /// Returns the target of a link in the `Link` header (RFC 8288). Many APIs link to the next
    /// page in this header.
    ///
    ///     // Link: </users?page=2>; rel="next", </users?page=9>; rel="last"
    ///     response.link("next")
    ///
    /// A relative target is resolved against the response's URL. Ignores malformed links, and links
    /// with an `anchor` parameter, which describe another resource. If `pages(_:from:)` would end
    /// because of a malformed link to the next page, it throws an error instead.
    ///
    /// - Parameter relation: The relation type. Case makes no difference.
    /// - Returns: The target of the first link with this relation type, or nil if there is none.
    public func link(_ relation: String) -> URL? {
        linkTarget(relation, of: value(forHTTPHeaderField: "Link") ?? "", relativeTo: url)
    }
}

extension HTTPURLResponse {
    /// The `Link` header, if it names a next page whose address cannot be read.
    var unreadableNextLink: String? {
        let header = value(forHTTPHeaderField: "Link") ?? ""
        let isNamed = header.contains(/(?i)\brel\s*=\s*("([^"]*\s)?)?next(?=[\s",;]|$)/)
        return isNamed && link("next") == nil && !header.contains(/(?i)anchor/) ? header : nil
    }
}

func linkTarget(_ relation: String, of header: String, relativeTo base: URL?) -> URL? {
    for link in splitHeader(header, at: UInt8(ascii: ",")) {
        guard link.hasPrefix("<"), let end = link.firstIndex(of: ">") else { continue }
        let parameters = String(link[end...])
        let relations = headerParameter("rel", of: parameters)?.lowercased() ?? ""
        guard
            relations.split(whereSeparator: \.isWhitespace).contains(
                Substring(relation.lowercased())),
            headerParameter("anchor", of: parameters) == nil,
            let url = resolve(String(link[..<end].dropFirst()), base)
        else { continue }
        return url
    }
    return nil
}

private func resolve(_ target: String, _ base: URL?) -> URL? {
    let target = target.trimmingCharacters(in: .whitespaces)
    // An empty target means the resource itself, but Foundation rejects it as a URL.
    return target.isEmpty ? base : URL(reference: target, relativeTo: base)?.absoluteURL
}
