import APIKitLite
import Foundation

extension RequestMatcher {
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

    /// Matches requests by their method, which is case-sensitive.
    public static func method(_ name: String) -> RequestMatcher { any.method(name) }

    /// Requires a method, which is case-sensitive (RFC 9110, section 9.1).
    public func method(_ name: String) -> RequestMatcher { requiring("method", name) { $0.method } }

    /// Matches requests to a host, such as `api.example.com`.
    public static func host(_ name: String) -> RequestMatcher { any.host(name) }

    /// Requires a host, such as `api.example.com`. The port and the case of the host do not matter.
    ///
    /// - Parameter name: The host alone. A scheme, port or path in the name is a configuration
    ///   error.
    public func host(_ name: String) -> RequestMatcher {
        // Foundation converts an international name to ASCII, the form that requests contain.
        let url = URL(string: "https://\(name)").map { URLParts($0.absoluteString) }
        guard let url, !url.host.isEmpty, url.explicitPort == nil, url.path.isEmpty else {
            return broken(
                ".host(_:) was given \(name.debugDescription), which is not a host alone. "
                    + "The scheme and the port have criteria of their own.")
        }
        return requiring("host", url.host) { $0.url.host }
    }

    /// Matches requests by the whole URL: its scheme, host, port and path, and exactly its query
    /// items, in any order. The fragment is ignored, because clients do not send fragments.
    ///
    /// - Parameter value: The URL. Without a scheme and host, only the path and query are compared.
    public static func url(_ value: URL) -> RequestMatcher { any.url(value) }

    /// Requires a whole URL, as the static ``url(_:)`` describes.
    func url(_ value: URL) -> RequestMatcher {
        let url = URLParts(value.absoluteString)
        var matcher = self
        if !url.scheme.isEmpty {
            matcher = matcher.requiring("scheme", url.scheme) { $0.url.scheme }
        }
        if !url.host.isEmpty { matcher = matcher.host(url.host) }
        if let port = url.port { matcher = matcher.port(port) }
        return matcher.path(exactly: url.path)
            .adding(.query, exactly: NamedItem.list(url.query ?? ""))
    }

    /// Requires a port.
    ///
    /// A URL without a port has the default port of its scheme: 443 for `https`, 80 for `http`.
    public func port(_ number: Int) -> RequestMatcher { requiring("port", number) { $0.url.port } }

    /// Requires a value of something that a request has at most once.
    private func requiring<Value: Equatable & Sendable>(
        _ noun: String, _ value: Value, of actual: @escaping @Sendable (RequestReading) -> Value?
    ) -> RequestMatcher {
        adding("\(noun) \(value)") {
            actual($0) == value
        } or: { reading in
            let text = actual(reading).map { "\($0)" } ?? ""
            return .has(text.isEmpty ? "none" : text)
        }
    }

    /// Requires a header.
    ///
    /// - Parameters:
    ///   - name: The name of the header; its case does not matter (RFC 9110, section 5.1).
    ///   - value: The whole value, which is case-sensitive; nil for any value.
    public func header(_ name: String, _ value: String? = nil) -> RequestMatcher {
        adding("header " + (value.map { "\(name): \($0)" } ?? name)) { [isRecorded] reading in
            let actual = reading.record.header(name)
            return value?.matches(actual, marks: isRecorded) ?? (actual != nil)
        } or: { reading in
            let actual = reading.record.header(name)
            return .has(actual.map { "\(name): \($0)" } ?? "no \(name)")
        }
    }
}
