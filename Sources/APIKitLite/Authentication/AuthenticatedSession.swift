import Foundation

extension HTTPSession {
    /// Returns a session that sends each request with a credential, and refreshes the credential
    /// when it is stale or rejected.
    ///
    ///     let session = URLSession.shared.authenticated(by: tokens)
    ///
    /// If a response rejects the credential, the credential is refreshed and the request is sent
    /// once more. If the second response rejects it too, the caller receives that response. A
    /// request waits for one refresh at most.
    ///
    /// All requests that need a refresh at the same time share one. If a response rejects an older
    /// credential than the current one, the request is sent again with the current one, without a
    /// refresh. If there is no other credential, the caller receives the rejection; of a stream, the
    /// first mebibyte of its body. A request with a body stream of your own is not sent again, but
    /// the credential is refreshed for later requests.
    ///
    /// If a refresh fails, the requests that wait for it fail with its error, and the next request
    /// starts a new one. A cancelled request ends immediately and does not affect the others. A
    /// refresh always runs to its end, even if all requests that wait for it are cancelled.
    ///
    /// A credential is sent only to its own origins, even if the server redirects the request. A
    /// response from another origin never rejects it.
    ///
    /// - Parameter credentials: The credential of the user. Chains that share it share its refresh.
    public func authenticated<C>(by credentials: Credentials<C>) -> some HTTPSession {
        AuthenticatedSession(next: self, credentials: credentials)
    }

    /// Returns a session that sends each request with a bearer token from the app's own store.
    ///
    /// ```swift
    /// let session = URLSession.shared.authenticated(for: baseURL) { rejected, _ in
    ///     try await store.token(replacing: rejected)
    /// }
    /// ```
    ///
    /// The closure is called before each request, with `nil`. If a response has status 401, the
    /// closure is called with the token that was rejected, and the request is sent once more, unless
    /// the closure returns the same token again. Requests that wait for the closure at the same time
    /// share a call, so that the store refreshes a token once. A request never gets a token that the
    /// closure was asked for before the request was made, because another user may have signed in
    /// since. Otherwise it is as with ``authenticated(by:)``.
    ///
    /// A request of the closure, such as a refresh, may go over the returned session; it is sent
    /// without the token.
    ///
    /// - Parameters:
    ///   - baseURL: The origin that receives the token. A URL without a host is ignored.
    ///   - others: Other origins that receive the token.
    ///   - token: Returns the token for `Authorization: Bearer` (RFC 6750), or `nil` if nobody is
    ///     signed in. It gets the token that was rejected, and the response that rejected it. If it
    ///     throws, the requests that wait for it fail with its error. A call is never cancelled.
    public func authenticated(
        for baseURL: URL, _ others: URL...,
        token:
            @escaping @Sendable (_ rejected: String?, _ rejection: HTTPURLResponse?)
            async throws -> String?
    ) -> some HTTPSession {
        let credentials = Credentials<String>([baseURL] + others, isAsked: true) {
            try $1.authorization(bearer: $0)
        } refresh: { rejected, rejection, _ in
            try await token(rejected, rejection)
        }
        return authenticated(by: credentials)
    }
}

private struct AuthenticatedSession<Credential: Sendable>: ExplainingPolicy {
    let next: any HTTPSession
    let credentials: Credentials<Credential>

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard credentials.covers(request.url) else {
            return try await next.send(request, awaiting: options)
        }
        let first = try await credentials.current(over: next)
        let sent = try credentials.apply(first, to: request)
        var answer = try await next.send(sent, awaiting: options)
        guard first.credential != nil, !first.isRefreshed, isRejection(answer, of: sent) else {
            return answer
        }
        let rejection = (first, answer.1)
        guard request.canBeSentAgain else {
            // For later requests.
            credentials.refresh(after: rejection, over: next)
            return answer
        }
        // A stream may have a place in a limit that the refresh needs.
        if answer.0.data == nil {
            let exchangeIDs = answer.0.exchangeIDs
            answer.0 = HTTPBody(await answer.0.beginning(on: ContinuousClock()))
            answer.0.exchangeIDs = exchangeIDs
        }
        let second = try await credentials.current(after: rejection, over: next)
        let again = try credentials.apply(second, to: request)
        // `==` ignores the headers.
        let isSame =
            again.allHTTPHeaderFields == sent.allHTTPHeaderFields && again.url == sent.url
            && again.httpBody == sent.httpBody
        if second.credential == nil || isSame { return answer }
        return try await next.send(again, awaiting: options)
    }

    func explanation(of error: APIRequestError) -> String? {
        guard error.statusCode == 401, let request = error.request else {
            return next.hint(about: error)
        }
        // A session further inside may have changed the URL.
        let isSent = credentials.covers(request.url) || credentials.covers(error.response?.url)
        return isSent ? nil : credentials.hint(for: request)
    }

    /// Whether a response from the origin of the request that carried the credential rejects it.
    private func isRejection(
        _ answer: (body: HTTPBody, response: HTTPURLResponse), of request: URLRequest
    ) -> Bool {
        let data = answer.body.data ?? Data()
        guard credentials.configuration.refresh != nil,
            credentials.configuration.isRejected(data, answer.response)
        else { return false }
        // A redirect may have led to another origin, which never received the credential, even if
        // it is one of the credential's. A response made by hand may have no host; it counts as a
        // response of the right origin.
        guard let url = answer.response.url, url.host() != nil else { return true }
        return url.origin == request.url?.origin
    }
}

extension Credentials {
    func covers(_ url: URL?) -> Bool {
        url.map { configuration.origins.contains($0.origin) } ?? false
    }

    func apply(_ current: Current, to request: URLRequest) throws -> URLRequest {
        try current.credential.map { try configuration.apply($0, request) } ?? request
    }

    /// Why a request was sent without the credential; nil if it has another one.
    func hint(for request: URLRequest) -> String? {
        guard let url = request.url, request.value(forHTTPHeaderField: "Authorization") == nil,
            !configuration.origins.isEmpty
        else { return nil }
        func text(_ origin: [String]) -> String { "\(origin[0])://\(origin[1]):\(origin[2])" }
        let own = configuration.origins.map(text).sorted().joined(separator: " and ")
        return "The credential was not sent: it belongs to \(own), and the request goes to "
            + "\(text(url.origin))."
    }
}
