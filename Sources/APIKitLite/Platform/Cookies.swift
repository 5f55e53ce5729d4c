import Foundation

extension HTTPURLResponse {
    /// Stores the cookies of the response, if it has any.
    package func storeCookies(
        in storage: @autoclosure () -> HTTPCookieStorage?, for request: URLRequest
    ) {
        guard let url = request.url else { return }
        let cookies = cookies(for: url)
        if cookies.isEmpty { return }
        storage()?.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    fileprivate func cookies(for url: URL) -> [HTTPCookie] {
        guard value(forHTTPHeaderField: "Set-Cookie") != nil else { return [] }
        let fields = allHeaderFields as? [String: String] ?? [:]
        return HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).map(\.expiredByItsAge)
    }
}

extension HTTPCookie {
    /// The cookie, marked as expired if its `Max-Age` is zero or less (RFC 6265, section 5.2.2).
    ///
    /// Foundation on Linux ignores this attribute, which servers use to delete a cookie.
    fileprivate var expiredByItsAge: HTTPCookie {
        guard var properties, let text = properties[.maximumAge] as? String,
            let age = Int(text), age <= 0
        else { return self }
        properties[.maximumAge] = nil
        properties[.expires] = Date.distantPast
        return HTTPCookie(properties: properties) ?? self
    }
}

// Foundation on Linux stores cookies only from a field spelled `Set-Cookie`. Header names in HTTP/2
// are lowercase, so Foundation stores no cookies from HTTP/2. This library cannot see how a name was
// spelled, because Foundation does not pass the headers to a delegate if a task has a completion
// handler.

extension URLSession {
    /// On Linux, returns the session's cookies for a request that may go over HTTP/2. Otherwise,
    /// returns none.
    func storedCookies(for request: URLRequest) -> [HTTPCookie] {
        #if canImport(FoundationNetworking)
        guard let url = request.url, url.scheme == "https" else { return [] }
        return configuration.httpCookieStorage?.cookies(for: url) ?? []
        #else
        return []
        #endif
    }
}

extension URLSessionExchange {
    /// On Linux, stores the cookies of a response that may have come over HTTP/2, except cookies
    /// that were set or deleted during the request. Also deletes cookies that `Max-Age` marks as
    /// expired. Foundation (Swift 6.3.1) stores such cookies if the response came over HTTP/1.1.
    func storeCookies(of response: HTTPURLResponse) {
        #if canImport(FoundationNetworking)
        // A stream's cookies were stored with its headers. Since then, the app may have deleted them.
        guard (self as? URLSessionStream)?.received == nil,
            isOverConnection, let url = request.url, request.httpShouldHandleCookies,
            let configuration = owner?.configuration,
            configuration.httpCookieAcceptPolicy != .never,
            let storage = configuration.httpCookieStorage
        else { return }
        let received = response.cookies(for: url)
        guard !received.isEmpty else { return }
        let current = storage.cookies(for: url) ?? []
        let isMissed = url.scheme == "https" && response.mayBeOverHTTP2
        let unchanged = received.filter { cookie in
            let stored = current.first(where: cookie.isSame)
            let isExpired = cookie.expiresDate == .distantPast && cookie.value == stored?.value
            return isExpired || isMissed && cookies.first(where: cookie.isSame) === stored
        }
        storage.setCookies(unchanged, for: url, mainDocumentURL: request.mainDocumentURL)
        #endif
    }
}

extension HTTPURLResponse {
    /// Whether the response has none of these headers, which HTTP/2 forbids (RFC 9113, section
    /// 8.2.2).
    fileprivate var mayBeOverHTTP2: Bool {
        !["Connection", "Keep-Alive", "Transfer-Encoding"].contains {
            value(forHTTPHeaderField: $0) != nil
        }
    }
}

extension HTTPCookie {
    /// Returns whether this cookie and another cookie replace each other (RFC 6265, section 5.3).
    fileprivate func isSame(as other: HTTPCookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
    }
}
