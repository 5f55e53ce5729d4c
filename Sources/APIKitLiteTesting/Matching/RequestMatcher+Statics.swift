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

    /// Matches requests with a whole URL: its scheme, host, port and path, and exactly its query
    /// items, in any order. A fragment does not count, because no request sends it.
    ///
    /// - Parameter value: The URL. If it is relative, only the path and the query are required.
    public static func url(_ value: URL) -> RequestMatcher { any.url(value) }

    /// Matches requests by a path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

    /// Matches requests that at least one of several matchers matches.
    public static func anyOf(_ matchers: RequestMatcher...) -> RequestMatcher {
        any.anyOf(matchers)
    }

    /// Matches requests that are equal to a given one, as an `APIRequest` makes it.
    ///
    /// When the request type changes, the matcher changes with it:
    ///
    /// ```swift
    /// network.stub(.request(try UserRequest().makeRequest(from: 42)), .json("{}"))
    /// ```
    ///
    /// It compares the method, the path, all query items, the headers that the value sets, and the
    /// body: JSON by value, a form by its fields, any other body by its bytes. It compares the
    /// scheme, the host and the port if the value has them.
    ///
    /// - Parameter value: The request. A body stream is read, and cannot be sent after that. If it
    ///   cannot be read, that is a configuration error.
    public static func request(_ value: URLRequest) -> RequestMatcher {
        let filled: URLRequest
        do {
            filled = try RequestBody.fill(value, nil)
        } catch {
            return any.broken(".request(_:) could not read the request's body stream: \(error)")
        }
        let reading = RequestReading(RecordedRequest(request: filled))
        var matcher = method(reading.method)
        matcher = value.url.map(matcher.url) ?? matcher
        for (name, value) in (value.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            matcher = matcher.header(name, value)
        }
        return matcher.addingBody(of: reading)
    }
}
