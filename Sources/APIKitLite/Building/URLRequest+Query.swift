import Foundation

extension URLRequest {
    /// Returns the request with query items added after its existing ones.
    ///
    /// - Parameter items: The names and values, as ``RequestItems`` describes them.
    /// - Throws: ``RequestBuildingError`` for a value that cannot be sent, or if the request has no
    ///   URL.
    public func query(_ items: RequestItems) throws -> URLRequest {
        let query = try items.encoded(as: .query)
        if query.isEmpty { return self }
        var request = self
        let url = try url ?? keptURL("")
        request.url = try keptURL(adding(query: query, to: url.absoluteString))
        return request
    }
}

/// Returns a URL's text with a query added after its own. A fragment stays at the end.
func adding(query: String, to url: String) -> String {
    if query.isEmpty { return url }
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let (head, fragment) = (url[..<end], url[end...])
    guard let mark = head.utf8.firstIndex(of: UInt8(ascii: "?")) else {
        return head + "?" + query + fragment
    }
    let ownQuery = head[mark...].utf8.dropFirst()
    let needsAmpersand = !ownQuery.isEmpty && ownQuery.last != UInt8(ascii: "&")
    return head + (needsAmpersand ? "&" : "") + query + fragment
}

/// Returns a URL from text. Throws if Foundation rejects the text, or would change it into a
/// different URL.
func keptURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), url.absoluteString == text else {
        let shown = Redaction.standard.url(text).debugDescription
        throw RequestBuildingError(
            "\(shown) is not a URL that Foundation sends unchanged. "
                + "Look for a character to escape, and check the scheme and the host of the base.")
    }
    return url
}
