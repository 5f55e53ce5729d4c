import APIKitLite
import Foundation

/// The receiver of the response to one request.
protocol Client: AnyObject, Sendable {
    /// Whether the client is still waiting for its response; false if this is unknown.
    var isWaiting: Bool { get }

    /// What the reader of the body is doing; nil if this is unknown.
    var readerState: ReaderState? { get }

    /// The session's timeout between two bytes, in seconds; nil if no `URLSession` is known. Only a
    /// request with the default timeout, 60 seconds, uses the session's timeout.
    var sessionTimeout: TimeInterval? { get }

    /// Whether the client can receive only HTTP responses.
    var supportsOnlyHTTP: Bool { get }

    /// How often a mock has passed the request on.
    var passes: Int { get }

    /// The storage for the client's cookies; nil if the mock stores no cookies for the client.
    /// Foundation stores cookies only for its own URL protocols.
    var cookieStorage: HTTPCookieStorage? { get }

    /// Receives, on any thread, the request to which a redirect leads or an error, or nil to
    /// deliver the redirect itself.
    typealias Decision = @Sendable (Result<URLRequest?, any Error>) -> Void

    /// Decides whether to follow a redirect.
    func follow(_ response: HTTPURLResponse, to request: URLRequest, _ decide: @escaping Decision)
}

extension Client {
    var sessionTimeout: TimeInterval? { nil }
    var supportsOnlyHTTP: Bool { true }

    /// Returns how long the client waits for the next byte.
    func idleTimeout(for request: URLRequest) -> Duration {
        let isDefault = request.timeoutInterval == 60
        let seconds = isDefault ? sessionTimeout ?? 60 : request.timeoutInterval
        // Zero means no timeout. The upper limit, almost 32 years, keeps sums of durations from
        // overflowing.
        return .seconds(seconds > 0 ? min(seconds, 1e9) : 1e9)
    }
}

extension URLRequest {
    /// Returns the request with any cookies that a storage has for the request's URL. As in a
    /// `URLSession`, these cookies replace the request's own `Cookie`. If `httpShouldHandleCookies`
    /// is false, the request is unchanged.
    func addingCookies(of storage: HTTPCookieStorage?) -> URLRequest {
        guard httpShouldHandleCookies, let url, let cookies = storage?.cookies(for: url),
            !cookies.isEmpty
        else { return self }
        var request = self
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}
