import APIKitLite
import Foundation

/// Keeps the cookies of mocked answers, which Foundation does only for its own protocols.
struct CookieJar: Sendable {
    private let storage: @Sendable () -> HTTPCookieStorage?

    init(_ responder: any Responder, _ task: URLSessionTask? = nil) {
        storage = {
            if let storage = responder.cookieStorage { return storage }
            #if canImport(FoundationNetworking)
            return task?.mirroredSession?.configuration.httpCookieStorage
            #else
            return .shared
            #endif
        }
    }

    func store(from response: HTTPURLResponse, to request: URLRequest) {
        guard response.value(forHTTPHeaderField: "Set-Cookie") != nil, let url = request.url else {
            return
        }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: response.headerFields, for: url)
        storage()?.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// The request with the cookies that are kept for its URL.
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
