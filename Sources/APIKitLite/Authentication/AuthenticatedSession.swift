import Foundation

extension HTTPSession {
    /// Returns a session that sends each request with a credential, and refreshes the credential
    /// when it is stale or rejected.
    ///
    ///     let session = URLSession.shared.authenticated(by: tokens)
    ///
    /// If a response rejects the credential, the credential is refreshed and the request is sent
    /// once more. If the second response rejects it too, the caller receives that response. A stale
    /// credential is refreshed before the request is sent.
    ///
    /// All requests that need a refresh at the same time share one. If a response rejects an older
    /// credential than the current one, the request is sent again with the current one, without a
    /// refresh. A request with a body stream of your own is not sent again, but the credential is
    /// refreshed for later requests.
    ///
    /// If a refresh fails, the requests that wait for it throw ``AuthenticationError``. If
    /// ``Authenticator/requiresSignIn(after:)`` is true for its error, the user is signed out;
    /// otherwise the next request starts a new refresh. A cancelled request ends immediately and
    /// does not affect the others. A refresh always runs to its end, even if all requests that wait
    /// for it are cancelled, because many refresh tokens can be used only once.
    ///
    /// For a stream, ``Authenticator/rejects(data:response:)`` gets an empty body.
    ///
    /// A credential is sent only to its own origins, even if the server redirects the request. A
    /// response from another origin never rejects it.
    ///
    /// - Parameter credentials: The credential of the user. Chains that share it share its refresh.
    /// - Returns: A session that wraps this one.
    public func authenticated<A>(by credentials: Credentials<A>) -> some HTTPSession {
        credentials.state.withLock { $0.session = $0.session ?? self }
        return AuthenticatedSession(next: self, credentials: credentials)
    }

    /// Returns a session that sends each request with a bearer token from the app's own store.
    ///
    /// ```swift
    /// let session = URLSession.shared.authenticated(for: baseURL) { rejected in
    ///     try await store.token(replacing: rejected)
    /// }
    /// ```
    ///
    /// The closure is called before each request, with `nil`. If a response has status 401, the
    /// closure is called with the token that was rejected, and the request is sent once more.
    /// Requests that wait for the closure at the same time share a call, so that the store
    /// refreshes a token once. A request never gets a token that the closure was asked for before
    /// the request was made, because another user may have signed in since. Otherwise it is
    /// as with ``authenticated(by:)``.
    ///
    /// A request of the closure, such as a refresh, may go over the returned session; it is sent
    /// without the token.
    ///
    /// - Parameters:
    ///   - baseURL: The origin that receives the token. A URL without a host is ignored.
    ///   - others: Other origins that receive the token.
    ///   - token: Returns the token for `Authorization: Bearer` (RFC 6750), or `nil` if nobody is
    ///     signed in. If it throws, the requests that wait for it fail with its error. A call is
    ///     never cancelled.
    /// - Returns: A session that wraps this one.
    public func authenticated(
        for baseURL: URL, _ others: URL...,
        token: @escaping @Sendable (_ rejected: String?) async throws -> String?
    ) -> some HTTPSession {
        var configuration = Credentials<StoreAuthenticator>.Configuration(
            origins: [baseURL] + others)
        (configuration.renew, configuration.isSame) = (token, { $0 == $1 })
        configuration.load = { try await token(nil) }
        return authenticated(by: Credentials(StoreAuthenticator(), nil, configuration))
    }
}

private struct StoreAuthenticator: Authenticator {
    func apply(_ token: String, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: token)
    }

    func rejects(data: Data, response: HTTPURLResponse) -> Bool { response.statusCode == 401 }
}

private struct AuthenticatedSession<A: Authenticator>: SessionPolicy {
    let next: any HTTPSession
    let credentials: Credentials<A>

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        var options = options
        options.refreshing = options.refreshing ?? RefreshWaits.current
        guard credentials.covers(request.url),
            let first = try await credentials.authorize(
                request, options, afterRejected: nil, over: next)
        else {
            let answer = try await next.send(request, awaiting: options)
            if answer.1.statusCode == 401, let hint = credentials.hint(for: request.url) {
                options.hint?.withLock { $0 = hint }
            }
            return answer
        }

        let answer = try await next.send(first.request, awaiting: options)
        guard isRejection(answer, of: first.request) else { return answer }
        guard request.canBeSentAgain else {
            // For later requests.
            credentials.join(afterRejected: first.generation, over: next)?.handle.giveUp()
            return answer
        }
        // A stream may have a place in a limit that the refresh needs.
        answer.0.end()
        let second = try await credentials.authorize(
            request, options, afterRejected: first.generation, over: next)
        // If the user has signed out, a stream is opened again, because its body has ended. A
        // refresh that must not wait for another one is sent again without its credential.
        if second == nil, answer.0.data != nil, options.refreshing == nil { return answer }
        return try await next.send(second?.request ?? request, awaiting: options)
    }

    /// Whether a response from the origin of the request that carried the credential rejects it.
    private func isRejection(
        _ answer: (body: HTTPBody, response: HTTPURLResponse), of request: URLRequest
    ) -> Bool {
        guard
            credentials.authenticator.rejects(
                data: answer.body.data ?? Data(), response: answer.response)
        else { return false }
        // A redirect may have led to another origin, which never received the credential, even if
        // it is one of the credential's. A response made by hand may have no host; it counts as a
        // response of the right origin.
        guard let url = answer.response.url, url.host() != nil else { return true }
        return url.origin == request.url?.origin
    }
}
