import Foundation

extension HTTPSession {
    /// Returns a session that sends each request with a credential, and refreshes the credential
    /// when it is stale or rejected.
    ///
    ///     let session = URLSession.shared.authenticated(by: tokens)
    ///
    /// If a response rejects the credential, the credential is refreshed and the request is sent
    /// once more. If the second response rejects it too, the caller receives that response. A
    /// request waits for at most one refresh.
    ///
    /// All requests that need a refresh at the same time share one. If a response rejects an older
    /// credential than the current one, the request is sent again with the current one, without a
    /// refresh. If there is no other credential, the caller receives the rejection. For a stream,
    /// that includes the first mebibyte of its body. A request with your own body stream is not
    /// sent again, but the credential is refreshed for later requests.
    ///
    /// If a refresh fails, the requests waiting for it fail with its error, and the next request
    /// starts a new one. A cancelled request ends immediately and does not affect the others. A
    /// refresh always runs to completion, even if all requests waiting for it are cancelled.
    ///
    /// A credential is sent only to its own origins, even if the server redirects the request. A
    /// response from another origin never rejects it.
    ///
    /// - Parameters:
    ///   - credentials: The user's credential. Chains that share the object share its refresh.
    ///   - clock: The clock that limits how long a rejected stream's body is read.
    public func authenticated<C>(
        by credentials: Credentials<C>, clock: any Clock<Duration> = ContinuousClock()
    ) -> some HTTPSession {
        if credentials.configuration.refresh != nil {
            credentials.state.withLock { $0.session = failingAtOtherOrigins() }
        }
        return AuthenticatedSession(next: self, credentials: credentials, clock: clock)
    }

    /// Returns a session that sends each request with a bearer token from the app's own store.
    ///
    /// ```swift
    /// let session = URLSession.shared.authenticated(for: baseURL) { rejection in
    ///     try await store.token(replacing: rejection.credential)
    /// }
    /// ```
    ///
    /// The closure is called before each request, without a token. If a response has status 401,
    /// the closure is called with the token that was rejected, and the request is sent once more,
    /// unless the closure returns the same token again. Concurrent requests share a call to the
    /// closure, so the store refreshes a token once. A request never uses a token from a call that
    /// began before the request was made, because another user may have signed in since. Otherwise,
    /// this works like ``authenticated(by:clock:)``.
    ///
    /// The closure may send requests, such as a refresh, over the returned session, but not in a
    /// detached task. Such requests are sent without the token.
    ///
    /// - Parameters:
    ///   - urls: The origins that receive the token, as for ``Credentials``.
    ///   - clock: The clock that limits how long a rejected stream's body is read.
    ///   - token: Returns the token for `Authorization: Bearer` (RFC 6750), or `nil` if nobody is
    ///     signed in. The closure receives the rejected token, with the request and response that
    ///     rejected it. If it throws, the requests waiting for the token fail with its error. A
    ///     call is never cancelled.
    public func authenticated(
        for urls: URL..., clock: any Clock<Duration> = ContinuousClock(),
        token:
            @escaping @Sendable (_ rejection: Credentials<String>.Rejection) async throws -> String?
    ) -> some HTTPSession {
        let configuration = Credentials<String>.Configuration(
            urls: urls, isAsked: true, apply: { try $1.authorization(bearer: $0) }, refresh: token)
        return authenticated(by: Credentials(nil, configuration), clock: clock)
    }
}

private struct AuthenticatedSession<Credential: Sendable>: HTTPSession {
    let next: any HTTPSession
    let credentials: Credentials<Credential>
    let clock: any Clock<Duration>

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard credentials.covers(request.url) else {
            var (body, response) = try await next.send(request, awaiting: options)
            // An inner session may have changed the URL.
            if response.statusCode == 401, !credentials.covers(response.url) {
                body.notes.missingCredential =
                    credentials.hint(for: request) ?? body.notes.missingCredential
            }
            return (body, response)
        }
        options.context.didFail?(nil)
        let (first, sent) = try await credentials.applied(to: request, options.context)
        var answer = try await next.send(sent, awaiting: options)
        // Before the first sign-in, a rejection is a prompt to sign in.
        let isCredentialSent = first.credential != nil && !sent.isSame(as: request)
        guard isCredentialSent || (first.credential == nil && first.generation == 0),
            !first.isRefreshed, isRejection(answer, of: sent)
        else { return answer }
        let rejection = Credentials.Rejection(
            credential: first.credential, request: sent, response: answer.1,
            session: credentials.state.withLock { $0.session }, generation: first.generation)
        guard request.canBeSentAgain else {
            // Refresh the credential for later requests.
            Task { try? await credentials.current(after: rejection) }
            return answer
        }
        // An open stream may hold the slot of a limit that the refresh needs.
        if answer.0.data == nil {
            answer.0 = answer.0.completed(with: await answer.0.beginning(on: clock))
        }
        let (second, again) = try await credentials.applied(
            to: request, options.context, after: rejection)
        if second.credential == nil || again.isSame(as: sent) { return answer }
        return try await next.send(again, awaiting: options)
    }

    /// Returns whether a response from the request's origin rejects its credential.
    private func isRejection(
        _ answer: (body: HTTPBody, response: HTTPURLResponse), of request: URLRequest
    ) -> Bool {
        let data = answer.body.data ?? Data()
        guard credentials.configuration.refresh != nil,
            credentials.configuration.isRejected(data, answer.response)
        else { return false }
        // A redirect may have led to another origin, which never received the credential, even if
        // that origin is one of the credential's. A response made by hand may have no host. It is
        // assumed to be from the right origin.
        guard let url = answer.response.url, url.host() != nil else { return true }
        return url.origin == request.url?.origin
    }
}

extension Credentials {
    func covers(_ url: URL?) -> Bool {
        url.map { origins?.contains($0.origin) ?? true } ?? false
    }

    /// Returns why a request was sent without the credential.
    func hint(for request: URLRequest) -> String? {
        guard let url = request.url, let origins, !origins.isEmpty else { return nil }
        func text(_ origin: [String]) -> String { "\(origin[0])://\(origin[1]):\(origin[2])" }
        let own = origins.map(text).sorted().joined(separator: " and ")
        return "The credential for \(own) was not sent, because the request goes to "
            + "\(text(url.origin))."
    }
}

extension URLRequest {
    /// Returns whether two requests are sent in the same way. `==` ignores the headers.
    func isSame(as other: URLRequest) -> Bool {
        url == other.url && allHTTPHeaderFields == other.allHTTPHeaderFields
            && httpBody == other.httpBody && httpBodyStream === other.httpBodyStream
    }
}
