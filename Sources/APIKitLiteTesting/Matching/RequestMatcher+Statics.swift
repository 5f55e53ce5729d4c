import Foundation

/// Each criterion, as the first of a matcher. What it means is said at the method of the same name.
extension RequestMatcher {
    /// Every request.
    public static var any: RequestMatcher { RequestMatcher() }

    /// `GET` on a path template.
    public static func get(_ path: String) -> RequestMatcher { method("GET").path(path) }

    /// `HEAD` on a path template.
    public static func head(_ path: String) -> RequestMatcher { method("HEAD").path(path) }

    /// `POST` on a path template.
    public static func post(_ path: String) -> RequestMatcher { method("POST").path(path) }

    /// `PUT` on a path template.
    public static func put(_ path: String) -> RequestMatcher { method("PUT").path(path) }

    /// `PATCH` on a path template.
    public static func patch(_ path: String) -> RequestMatcher { method("PATCH").path(path) }

    /// `DELETE` on a path template.
    public static func delete(_ path: String) -> RequestMatcher { method("DELETE").path(path) }

    /// A method, by its exact name.
    public static func method(_ name: String) -> RequestMatcher { any.method(name) }

    /// A scheme, such as `https`.
    public static func scheme(_ name: String) -> RequestMatcher { any.scheme(name) }

    /// A host, such as `api.example.com`.
    public static func host(_ name: String) -> RequestMatcher { any.host(name) }

    /// A port, which may be the usual one of the scheme.
    public static func port(_ number: Int) -> RequestMatcher { any.port(number) }

    /// A path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

    /// A path without names in it, percent-encoded.
    public static func path(exactly path: String) -> RequestMatcher { any.path(exactly: path) }

    /// The first segments of a path.
    public static func path(prefix: String) -> RequestMatcher { any.path(prefix: prefix) }

    /// Query items that must be there, in any order, among others.
    public static func query(_ items: KeyValuePairs<String, String?>) -> RequestMatcher {
        any.query(items)
    }

    /// Query items that must be there, in any order, among others.
    @_disfavoredOverload
    public static func query(_ items: [String: String]) -> RequestMatcher { any.query(items) }

    /// All the query items of the request, in any order.
    public static func query(exactly items: KeyValuePairs<String, String?>) -> RequestMatcher {
        any.query(exactly: items)
    }

    /// A header, whose name is compared without case; without a value, any is taken.
    public static func header(_ name: String, _ value: String? = nil) -> RequestMatcher {
        any.header(name, value)
    }

    /// A body of exactly these bytes.
    public static func body(_ data: Data) -> RequestMatcher { any.body(data) }

    /// A body that says the same as a JSON text.
    public static func json(_ text: String) -> RequestMatcher { any.json(text) }

    /// A body that says the same as a value's JSON.
    public static func json(
        encoding value: some Encodable, encoder: JSONEncoder? = nil
    ) -> RequestMatcher {
        any.json(encoding: value, encoder: encoder)
    }

    /// A body that says at least what a JSON text says.
    public static func json(containing text: String) -> RequestMatcher {
        any.json(containing: text)
    }

    /// Fields of a form that must be in the body, in any order, among others.
    public static func form(_ fields: KeyValuePairs<String, String?>) -> RequestMatcher {
        any.form(fields)
    }

    /// All the fields of a form in the body, in any order.
    public static func form(exactly fields: KeyValuePairs<String, String?>) -> RequestMatcher {
        any.form(exactly: fields)
    }

    /// Anything else that can be said of a request, with a description for failures.
    public static func `where`(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestMatcher {
        any.where(description, predicate)
    }

    /// At least one of several matchers.
    public static func anyOf(_ matchers: RequestMatcher...) -> RequestMatcher {
        any.anyOf(matchers)
    }

    /// At least one of several matchers.
    public static func anyOf(_ matchers: [RequestMatcher]) -> RequestMatcher {
        any.anyOf(matchers)
    }

    /// Everything that another matcher does not match.
    public static func not(_ matcher: RequestMatcher) -> RequestMatcher { any.not(matcher) }

    /// A request like this one: method, URL, the headers that it sets, and body.
    public static func request(_ value: URLRequest) -> RequestMatcher { any.request(value) }
}
