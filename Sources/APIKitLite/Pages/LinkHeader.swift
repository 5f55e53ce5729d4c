import Foundation

extension HTTPURLResponse {
    /// Returns the target of a link in the `Link` header (RFC 8288). Many APIs use this header to
    /// link to the next page.
    ///
    ///     // Link: </users?page=2>; rel="next", </users?page=9>; rel="last"
    ///     response.link("next")
    ///
    /// A relative target is resolved against the response's URL. Malformed links are ignored, and
    /// so are links with an `anchor` parameter, which describe another resource. If a malformed
    /// link would end the pages of a ``PagedAPIRequest``, the load fails instead.
    ///
    /// - Parameter relation: The relation type. Its case is ignored.
    /// - Returns: The target of the first link with this relation type, or nil if there is none.
    public func link(_ relation: String) -> URL? {
        let header = value(forHTTPHeaderField: "Link") ?? ""
        let target = linkTarget(relation, of: header, relativeTo: url)
        if target == nil, LinkHeader.mentions(relation, header) {
            LinkHeader.malformed?.withLock { $0 = header }
        }
        return target
    }
}

/// The check for a malformed link in the `Link` header that `nextInput` reads.
enum LinkHeader {
    /// Receives the header if `link(_:)` finds only a malformed link during a call to `nextInput`.
    @TaskLocal static var malformed: Locked<String?>?

    /// Returns whether a header mentions a link, even a malformed one, with the given relation type
    /// and without an `anchor`.
    static func mentions(_ relation: String, _ header: String) -> Bool {
        splitHeader(header, at: UInt8(ascii: ",")).contains { link in
            // The link is split at every `;`, because its brackets or quotation marks may be
            // unbalanced.
            headerParameter("anchor", of: link) == nil
                && link.lowercased().split(";").contains { parameter in
                    let (name, relations) = parameter.cut(at: "=")
                    return name.trimmingCharacters(in: .whitespaces) == "rel"
                        && words(String(relations ?? "").replacing("\"", with: " "))
                            .contains(relation.lowercased())
                }
        }
    }
}

func linkTarget(_ relation: String, of header: String, relativeTo base: URL?) -> URL? {
    splitHeader(header, at: UInt8(ascii: ",")).lazy.compactMap { link in
        guard link.hasPrefix("<"), let end = link.firstIndex(of: ">") else { return nil }
        let parameters = String(link[end...])
        let relations = words(headerParameter("rel", of: parameters)?.lowercased() ?? "")
        guard relations.contains(relation.lowercased()),
            headerParameter("anchor", of: parameters) == nil
        else { return nil }
        let target = link[..<end].dropFirst().trimmingCharacters(in: .whitespaces)
        // An empty target means the resource itself, but Foundation rejects an empty URL.
        return target.isEmpty ? base : URL(reference: target, relativeTo: base)?.absoluteURL
    }.first
}
