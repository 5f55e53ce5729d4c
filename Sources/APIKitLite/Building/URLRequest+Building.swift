import Foundation

extension URLRequest {
    /// Creates a request from a method, a base URL, a path, a query and headers.
    ///
    ///     let base = URL(string: "https://api.example.com/v1")!
    ///     let request = try URLRequest(
    ///         "GET", base, path: "/users/{id}", ["id": 42],
    ///         query: ["fields": "name", "page": nil])
    ///     // GET https://api.example.com/v1/users/42?fields=name
    ///
    /// The same input gives the same bytes on every platform. The path, user info and query of the
    /// base are kept unchanged. Its query comes first.
    ///
    /// - Parameters:
    ///   - method: One word. A method of RFC 9110 or RFC 5789 may be written in lower case.
    ///   - base: A URL with a host and without a fragment. A slash at its end makes no difference
    ///     if there is a path.
    ///   - path: Plain text with names in braces: `/users/{id}`. A slash at its end is kept.
    ///   - values: One value for each name in the path. Reserved characters, such as `/` and `?`,
    ///     are escaped.
    ///   - query: Items in order. Nil leaves an item out, `""` gives `q=`, ``QueryFlag`` gives `q`.
    ///   - headers: Names and values. The values of a repeated name are joined with a comma.
    /// - Throws: ``RequestBuildingError`` if an argument cannot be used. It says what to change.
    public init(
        _ method: String, _ base: URL, path: String = "",
        _ values: KeyValuePairs<String, any CustomStringConvertible> = [:],
        query: KeyValuePairs<String, (any CustomStringConvertible)?> = [:],
        headers: KeyValuePairs<String, String> = [:]
    ) throws {
        guard method.utf8.isHTTPToken else { throw RequestBuildingError.unusableMethod(method) }
        let text = try joined(
            base, path: PathTemplate(path).expand(values),
            query: encodedItems(query, as: .query))
        // Foundation repairs an invalid URL. The repaired text would be a different URL.
        guard let url = URL(string: text), url.absoluteString == text else {
            throw RequestBuildingError.unusableURL(text)
        }
        self.init(url: url)
        httpMethod = knownMethods.contains(method.uppercased()) ? method.uppercased() : method
        for (name, value) in headers {
            self = try addingHeader(name, value)
        }
    }

    /// Returns the request with a value added to a header.
    ///
    /// If the header has a value, the new one follows after a comma (RFC 9110, section 5.3).
    ///
    /// - Parameters:
    ///   - name: The name of the header. Case makes no difference.
    ///   - value: The value to add.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a name that is not one
    ///   word, and for a line break or NUL in the value.
    public func addingHeader(_ name: String, _ value: String) throws -> URLRequest {
        let earlier = self.value(forHTTPHeaderField: name).map { $0 + ", " } ?? ""
        return try header(name, earlier + value)
    }

    /// Returns the request with a header, in place of any earlier value.
    ///
    /// - Parameters:
    ///   - name: The name of the header. Case makes no difference.
    ///   - value: The value.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a name that is not one
    ///   word, and for a line break or NUL in the value.
    public func header(_ name: String, _ value: String) throws -> URLRequest {
        guard name.utf8.isHTTPToken else {
            throw RequestBuildingError.unusableHeader(
                name: name, reason: "is not one word. Use letters, digits and hyphens.")
        }
        guard !breaksLine(value) else {
            throw RequestBuildingError.unusableHeader(
                name: name, reason: "has a line break or NUL in its value. Remove it.")
        }
        var request = self
        request.setValue(value, forHTTPHeaderField: name)
        return request
    }
}

/// The methods of RFC 9110 and RFC 5789. They are sent in upper case, because methods are
/// case-sensitive and Foundation sends `patch` unchanged.
private let knownMethods: Set = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
]

/// Returns the text of a base URL with a path and a query added. The base is not parsed further
/// than necessary, so that its text stays unchanged.
///
/// - Parameters:
///   - base: The base URL.
///   - path: A percent-encoded path with a leading slash, or `""`.
///   - query: A percent-encoded query, or `""`.
/// - Throws: ``RequestBuildingError/unusableBase(_:reason:)`` for a base without a host or with a
///   fragment.
private func joined(_ base: URL, path: String, query: String) throws -> String {
    let text = base.absoluteString
    guard !text.utf8.contains(UInt8(ascii: "#")) else {
        throw RequestBuildingError.unusableBase(
            base, reason: "has a fragment, which is never sent. Remove the # and what follows.")
    }
    guard hasHost(text) else {
        throw RequestBuildingError.unusableBase(
            base, reason: "has no host. Start it with a scheme and a host: https://api.example.com")
    }
    let parts = text.utf8.split(
        separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    var result = parts[0]
    if !path.isEmpty, result.utf8.last == UInt8(ascii: "/") { result.removeLast() }
    result += path

    let baseQuery = parts.dropFirst().first
    if let baseQuery { result += "?" + baseQuery }
    if !query.isEmpty {
        let needsAmpersand = !(baseQuery ?? "").isEmpty && baseQuery?.utf8.last != UInt8(ascii: "&")
        result += (baseQuery == nil ? "?" : needsAmpersand ? "&" : "") + query
    }
    return result
}

/// Whether the text of a URL has a scheme and a host.
private func hasHost(_ text: String) -> Bool {
    let parts = text.utf8.split(
        separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].count > 1, parts[0].last == UInt8(ascii: ":"),
        parts[1].isEmpty
    else { return false }
    let authority = parts[2].prefix { $0 != UInt8(ascii: "?") }
    let host =
        authority.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false
        ).last ?? authority
    return !host.isEmpty && host.first != UInt8(ascii: ":")
}
