import APIKitLite
import Foundation

/// Static members with which a matcher begins. Each further criterion is a method:
/// `.get("/users").query(["page": 2])`, `.any.header("Accept")`.
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

    /// Matches requests to a host, such as `api.example.com`.
    public static func host(_ name: String) -> RequestMatcher { any.host(name) }

    /// Matches requests with a whole URL, whatever their method and body are.
    public static func url(_ value: URL) -> RequestMatcher { any.url(value) }

    /// Matches requests by a path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

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
