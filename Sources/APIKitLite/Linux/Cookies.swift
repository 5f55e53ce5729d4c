import Foundation

extension HTTPCookieStorage {
    package func storeCookies(of response: HTTPURLResponse, to request: URLRequest) {
        guard response.value(forHTTPHeaderField: "Set-Cookie") != nil, let url = request.url else {
            return
        }
        let fields = response.allHeaderFields as? [String: String] ?? [:]
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }
}

extension URLSession {
    /// Stores the cookies that a response sets.
    ///
    /// Foundation on Linux finds only a field that is written `Set-Cookie`, and all names of HTTP/2
    /// are in lower case. On Apple platforms, this does nothing.
    func storeCookies(of response: HTTPURLResponse, to request: URLRequest) {
        #if canImport(FoundationNetworking)
        guard request.httpShouldHandleCookies,
            configuration.httpCookieAcceptPolicy != .never
        else { return }
        configuration.httpCookieStorage?.storeCookies(of: response, to: request)
        #endif
    }
}
