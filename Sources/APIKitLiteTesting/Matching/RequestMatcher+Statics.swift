import APIKitLite
import Foundation

/// Static members that start a matcher with one criterion. The method of the same name describes
/// the criterion in detail.
extension RequestMatcher {
    /// A matcher for every request.
    public static var any: RequestMatcher { RequestMatcher() }

    /// Matches `GET` requests by a path template.
    public static func get(_ path: String) -> RequestMatcher { method("GET").path(path) }

    /// Matches `HEAD` requests by a path template.
    public static func head(_ path: String) -> RequestMatcher { method("HEAD").path(path) }

    /// Matches `POST` requests by a path template.
    public static func post(_ path: String) -> RequestMatcher { method("POST").path(path) }

    /// Matches `PUT` requests by a path template.
    public static func put(_ path: String) -> RequestMatcher { method("PUT").path(path) }

    /// Matches `PATCH` requests by a path template.
    public static func patch(_ path: String) -> RequestMatcher { method("PATCH").path(path) }

    /// Matches `DELETE` requests by a path template.
    public static func delete(_ path: String) -> RequestMatcher { method("DELETE").path(path) }

    /// Matches requests with a method. The case of its name matters.
    public static func method(_ name: String) -> RequestMatcher { any.method(name) }

    /// Matches requests with a scheme, such as `https`.
    public static func scheme(_ name: String) -> RequestMatcher { any.scheme(name) }

    /// Matches requests to a host, such as `api.example.com`.
    public static func host(_ name: String) -> RequestMatcher { any.host(name) }

    /// Matches requests to a port, which may be the default port of the scheme.
    public static func port(_ number: Int) -> RequestMatcher { any.port(number) }

    /// Matches requests by a path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

    /// Matches requests with a path, percent-encoded and not a template.
    public static func path(exactly path: String) -> RequestMatcher { any.path(exactly: path) }

    /// Matches requests whose path begins with certain segments.
    public static func path(prefix: String) -> RequestMatcher { any.path(prefix: prefix) }

    /// Matches requests with these query items, in any order. Other items are allowed.
    public static func query(_ items: RequestItems) -> RequestMatcher {
        any.query(items)
    }

    /// Matches requests with these query items, in any order. Other items are allowed.
    @_disfavoredOverload
    public static func query(_ items: [String: String]) -> RequestMatcher { any.query(items) }

    /// Matches requests with exactly these query items, in any order.
    public static func query(exactly items: RequestItems) -> RequestMatcher {
        any.query(exactly: items)
    }

    /// Matches requests with a header.
    ///
    /// - Parameters:
    ///   - name: The name of the header; its case does not matter.
    ///   - value: The whole value, whose case matters; nil for any value.
    public static func header(_ name: String, _ value: String? = nil) -> RequestMatcher {
        any.header(name, value)
    }

    /// Matches requests with a body of exactly these bytes.
    public static func body(_ data: Data) -> RequestMatcher { any.body(data) }

    /// Matches requests whose body is equal to a JSON text.
    public static func json(_ text: String) -> RequestMatcher { any.json(text) }

    /// Matches requests whose body is equal to a JSON object or array that is written as a literal.
    public static func json(_ literal: JSONLiteral) -> RequestMatcher { any.json(literal) }

    /// Matches requests whose body is equal to the JSON of a value.
    ///
    /// - Parameters:
    ///   - value: The value, which is encoded at once.
    ///   - encoder: An encoder with other strategies for dates or keys; by default, a new
    ///     `JSONEncoder`.
    public static func json(
        encoding value: some Encodable, encoder: JSONEncoder? = nil
    ) -> RequestMatcher {
        any.json(encoding: value, encoder: encoder)
    }

    /// Matches requests whose body contains at least a JSON text.
    public static func json(containing text: String) -> RequestMatcher {
        any.json(containing: text)
    }

    /// Matches requests whose body contains at least a JSON object or array that is written as a
    /// literal.
    public static func json(containing literal: JSONLiteral) -> RequestMatcher {
        any.json(containing: literal)
    }

    /// Matches requests with these form fields, in any order. Other fields are allowed.
    public static func form(_ fields: RequestItems) -> RequestMatcher {
        any.form(fields)
    }

    /// Matches requests with exactly these form fields, in any order.
    public static func form(exactly fields: RequestItems) -> RequestMatcher {
        any.form(exactly: fields)
    }

    /// Matches requests with a part of a `multipart/form-data` body.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - fileName: The name of the file; nil for any, or none.
    ///   - contentType: The media type of the part; nil for any, or none.
    ///   - data: The content of the part; nil for any.
    public static func part(
        _ name: String, fileName: String? = nil, contentType: String? = nil, data: Data? = nil
    ) -> RequestMatcher {
        any.part(name, fileName: fileName, contentType: contentType, data: data)
    }

    /// Matches requests with a part of a `multipart/form-data` body that has a certain text.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - text: The whole content of the part, in UTF-8.
    public static func part(_ name: String, text: String) -> RequestMatcher {
        any.part(name, text: text)
    }

    /// Matches requests for which a predicate returns true.
    ///
    /// - Parameters:
    ///   - description: The condition, as an error text shows it: `"an even id"`.
    ///   - predicate: Receives the request. It may be called on any thread, and again to explain a
    ///     failure.
    public static func `where`(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestMatcher {
        any.where(description, predicate)
    }

    /// Matches requests that at least one of several matchers matches.
    public static func anyOf(_ matchers: RequestMatcher...) -> RequestMatcher {
        any.anyOf(matchers)
    }

    /// Matches requests that at least one of several matchers matches.
    public static func anyOf(_ matchers: [RequestMatcher]) -> RequestMatcher {
        any.anyOf(matchers)
    }

    /// Matches requests that another matcher does not match.
    public static func not(_ matcher: RequestMatcher) -> RequestMatcher { any.not(matcher) }

    /// Matches requests that are equal to a given one: method, URL, the headers that it sets, and
    /// body.
    public static func request(_ value: URLRequest) -> RequestMatcher { any.request(value) }
}
