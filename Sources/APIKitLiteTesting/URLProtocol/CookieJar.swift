import APIKitLite
import Foundation

/// Stores the cookies of mocked answers. Foundation does so only for its own protocols.
struct CookieJar: Sendable {
    /// Evaluated when a cookie is stored or needed, since finding the storage takes time.
    private let storage: @Sendable () -> HTTPCookieStorage?

    /// Creates a jar that uses the storage of the task's session, or else the responder's storage.
    init(_ responder: any Responder, _ task: URLSessionTask? = nil) {
        storage = { task.cookieStorage(or: responder.cookieStorage) }
    }

    /// Stores the cookies that a response sets.
    func store(from response: HTTPURLResponse, to request: URLRequest) {
        guard response.value(forHTTPHeaderField: "Set-Cookie") != nil else { return }
        storage()?.storeCookies(of: response, to: request)
    }

    /// Returns the request with the cookies that are stored for its URL.
    func applied(to request: URLRequest) -> URLRequest {
        guard request.httpShouldHandleCookies, let url = request.url,
            let cookies = storage()?.cookies(for: url), !cookies.isEmpty
        else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}
