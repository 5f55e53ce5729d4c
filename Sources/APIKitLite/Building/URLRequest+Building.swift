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
    /// The same input produces the same bytes on every platform. The path, user info and query of
    /// the base are kept unchanged. The base's query comes before the items of `query`.
    ///
    /// - Parameters:
    ///   - method: The method, as one word. A method of RFC 9110 or RFC 5789 is sent in upper case.
    ///     Any other word is sent as it is.
    ///   - base: An `https` or `http` URL with a host and without a fragment. If you pass a path,
    ///     the base's trailing slash makes no difference.
    ///   - path: Plain text with names in braces, at most one in each segment: `/users/{id}`,
    ///     `/files/{name}.json`. A trailing slash is kept. A path that is already percent-encoded
    ///     belongs in the base.
    ///   - values: One value for each name in the path. Reserved characters, such as `/` and `?`,
    ///     are escaped. Only a name with `+` in the last segment, as in `/files/{+path}`, keeps the
    ///     slashes of its value (RFC 6570, section 3.2.3). A value must not be nil or empty. A
    ///     value or a segment must not be `.` or `..`.
    ///   - query: The query items, in order. A nil value omits the item, `""` sends `name=`, and an
    ///     array repeats the name.
    ///   - headers: Names and values. A nil value omits the header. The values of a repeated name,
    ///     or of an array, are joined with a comma, or with a semicolon for `Cookie`.
    /// - Throws: ``RequestBuildingError`` if an argument cannot be used. The error says what to
    ///   change.
    public init(
        _ method: String, _ base: URL, path: String = "",
        _ values: RequestItems = [:], query: RequestItems = [:], headers: RequestItems = [:]
    ) throws {
        let method = try checked(method)
        self.init(url: try URL(base, path: path, values, query: query))
        httpMethod = method
        self = try self.headers(headers)
    }
}

extension URL {
    /// Creates a URL from a base URL, a path and a query, for code that needs no request.
    ///
    ///     let avatar = try URL(base, path: "/users/{id}/avatar", ["id": id], query: ["size": 64])
    ///
    /// Each argument has the same meaning and the same escaping as in ``Foundation/URLRequest``'s
    /// `init(_:_:path:_:query:headers:)`.
    ///
    /// - Throws: ``RequestBuildingError`` if an argument cannot be used. The error says what to
    ///   change.
    public init(
        _ base: URL, path: String = "", _ values: RequestItems = [:], query: RequestItems = [:]
    ) throws {
        let text = try adding(
            query: query.encoded(as: .query),
            to: joined(base, path: PathTemplate(path).expand(values)))
        self = try keptURL(text)
    }
}

/// The methods of RFC 9110 and RFC 5789.
private let knownMethods = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
]

/// Returns the method as it is sent: a known method in upper case, and any other word unchanged.
///
/// Methods are case-sensitive, and Foundation does not change `patch` to upper case.
private func checked(_ method: String) throws -> String {
    guard method.utf8.isHTTPToken else {
        throw RequestBuildingError(
            "\(method.debugDescription) is not an HTTP method. Use one word, such as GET or POST.")
    }
    return knownMethods.contains(method.uppercased()) ? method.uppercased() : method
}

/// Returns a base URL's text with a path added before its query. The base is not parsed further
/// than necessary, so that its text stays unchanged.
private func joined(_ base: URL, path: String) throws -> String {
    let text = base.absoluteString
    func unusable(_ problem: String) -> RequestBuildingError {
        RequestBuildingError("The base URL", text, problem)
    }
    guard !text.utf8.contains(UInt8(ascii: "#")) else {
        throw unusable("has a fragment, which is never sent. Remove the # and what follows.")
    }
    guard let scheme = base.scheme?.lowercased(), base.host()?.isEmpty == false else {
        throw unusable("has no host. Start it with a scheme and a host: https://api.example.com")
    }
    guard ["https", "http"].contains(scheme) else {
        throw unusable("has the scheme \(scheme). Use https, or http.")
    }
    let end = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    var head = text[..<end]
    if !path.isEmpty, head.utf8.last == UInt8(ascii: "/") { head.removeLast() }
    return head + path + text[end...]
}

extension URLRequest {
    /// Returns the request with query items added after the existing items.
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

/// Returns a URL's text with a query added after its own query. A fragment stays at the end.
func adding(query: String, to url: String) -> String {
    if query.isEmpty { return url }
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let (head, fragment) = (url[..<end], url[end...])
    let separator = head.cut(at: "?").1.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
    return head + separator + query + fragment
}

/// Returns a URL from text. Throws if Foundation rejects the text, or would change it into a
/// different URL.
func keptURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), url.absoluteString == text else {
        let shown = Redaction.standard.url(text).debugDescription
        throw RequestBuildingError(
            "\(shown) is not a valid URL. Escape its special characters, and check the scheme and "
                + "the host of the base URL.")
    }
    return url
}

/// An error that says why a request cannot be built, and what to change.
///
/// The cause is a mistake in the code that builds the request, or an unusable input.
public struct RequestBuildingError:
    LocalizedError, CustomStringConvertible, Equatable, Sendable
{
    /// The cause and what to change, without the secrets of a URL or the value of a header.
    public let description: String

    /// A sentence for the user. It does not give the cause, which is for developers.
    public var errorDescription: String? { "The request could not be created." }

    init(_ subject: String, _ name: String, _ problem: String) {
        self.init("\(subject) \(Redaction.standard.url(name).debugDescription) \(problem)")
    }

    init(_ description: String) {
        self.description = description
    }
}
