import Foundation

extension HTTPURLResponse {
    /// Returns the target of a link in the `Link` header (RFC 8288), with which many APIs name the
    /// next page.
    ///
    ///     // Link: </users?page=2>; rel="next", </users?page=9>; rel="last"
    ///     response.link("next")
    ///
    /// A relative target is resolved against the URL of the response. Links that cannot be parsed are
    /// left out, and so are links with an `anchor` parameter, which describe another resource.
    ///
    /// - Parameter relation: The relation type. Case makes no difference.
    /// - Returns: The target of the first link with this relation type; nil if no link has it.
    public func link(_ relation: String) -> URL? {
        linkTarget(relation, of: value(forHTTPHeaderField: "Link") ?? "", relativeTo: url)
    }
}

func linkTarget(_ relation: String, of header: String, relativeTo base: URL?) -> URL? {
    for link in links(of: header) {
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
