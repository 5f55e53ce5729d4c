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
    /// If a refresh fails, the requests that wait for it throw ``AuthenticationError``, and the
    /// next request starts a new refresh. A cancelled request ends immediately and does not affect
    /// the others. A refresh always runs to its end, even if all requests that wait for it are
    /// cancelled, because many refresh tokens can be used only once.
    ///
    /// For a stream, ``Authenticator/rejects(data:response:)`` gets an empty body.
    ///
    /// A credential is sent only to its own origins, even if the server redirects the request. A
    /// response from another origin never rejects it.
    ///
    /// - Parameter credentials: The credential of the user. Chains that share it share its refresh.
    /// - Returns: A session that wraps this one.
    public func authenticated<A>(by credentials: Credentials<A>) -> some HTTPSession {
        AuthenticatedSession(next: self, credentials: credentials)
    }
}

private struct AuthenticatedSession<A: Authenticator>: SessionPolicy {
    let next: any HTTPSession
    let credentials: Credentials<A>

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard credentials.covers(request.url),
            let first = try await credentials.authorize(
                request, options, afterRejected: nil, over: next)
        else { return try await next.send(request, awaiting: options) }

        let answer = try await next.send(first.request, awaiting: options)
        guard isRejection(answer, of: first.request) else { return answer }
        guard request.canBeSentAgain else {
            credentials.startRefresh(first.generation, over: next)
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
        guard credentials.isRejection(answer.body.data ?? Data(), answer.response) else {
            return false
        }
        // A redirect may have led to another origin, which never received the credential, even if
        // it is one of the credential's. A response made by hand may have no host; it counts as a
        // response of the right origin.
        guard let url = answer.response.url, url.host() != nil else { return true }
        return url.origin == request.url?.origin
    }
}
