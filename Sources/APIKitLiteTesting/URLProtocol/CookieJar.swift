import APIKitLite
import Foundation

/// Stores the cookies of mocked answers. Foundation does so only for its own protocols.
struct CookieJar: Sendable {
    /// Evaluated when a cookie is stored or needed, since finding the storage takes time.
    private let storage: @Sendable () -> HTTPCookieStorage?

    /// Creates a jar that uses the storage of the session or else the storage of the responder.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers the request.
    ///   - task: The client's task. On Linux, its session determines the storage, and may have none.
    ///     On Apple platforms, the session of a task is private, so the storage of the responder or
    ///     the shared one is used.
    init(_ responder: any Responder, _ task: URLSessionTask? = nil) {
        storage = {
            #if canImport(FoundationNetworking)
            if let session = task?.mirroredSession {
                return session.configuration.httpCookieStorage
            }
            return responder.cookieStorage
            #else
            return responder.cookieStorage ?? .shared
            #endif
        }
    }

    /// Stores the cookies that a response sets.
    func store(from response: HTTPURLResponse, to request: URLRequest) {
        guard response.value(forHTTPHeaderField: "Set-Cookie") != nil, let url = request.url else {
            return
        }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: response.headerFields, for: url)
        storage()?.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
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
