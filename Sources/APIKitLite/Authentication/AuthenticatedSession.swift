import Foundation

extension HTTPSession {
    /// Returns a session that sends each request with a credential, and refreshes the credential
    /// when it is stale or rejected.
    ///
    ///     let session = URLSession.shared.authenticated(by: tokens)
    ///
    /// If a response rejects the credential, the credential is refreshed and the request is sent
    /// once more. If the second response also rejects the credential, the caller receives that
    /// response.
    ///
    /// All requests that need a refresh at the same time share one refresh, which is sent over the
    /// chain of the first such request. If a response rejects an older credential than the current
    /// one, the request is sent again with the current credential, which is refreshed only if it is
    /// stale. If `refresh` returns no new credential, the caller receives the rejecting response. A
    /// stream's response then has at most the first mebibyte of its body. A request whose body is
    /// your own stream is not sent again, but the credential is refreshed for later requests.
    ///
    /// If a refresh fails, the requests waiting for it fail with its error, and the next request
    /// that needs a refresh starts a new one. A cancelled request ends immediately and does not
    /// affect other requests. A refresh always runs to completion, even if all requests waiting for
    /// it are cancelled.
    ///
    /// If the app sets another credential, the previous user's requests are not sent with it: see
    /// ``Credentials/credential``.
    ///
    /// A credential is sent only to the origins of its `Credentials`, even if the server redirects
    /// the request. A response from another origin than the request's never rejects the credential.
    ///
    /// - Parameters:
    ///   - credentials: The user's credential. Chains that share this object share its refreshes.
    ///   - clock: The clock that times how long the body of a stream's error response is read.
    public func authenticated<C>(
        by credentials: Credentials<C>, clock: any Clock<Duration> = ContinuousClock()
    ) -> some HTTPSession {
        let inside = failingAtOtherOrigins()
        credentials.session.withLock { $0 = inside }
        return AuthenticatedSession(
            next: self, clock: clock, origins: credentials.origins,
            isRejected: credentials.configuration.isRejected
        ) { try await credentials.applied(to: $0, over: inside, $1, after: $2) }
    }

    /// Returns a session that sends each request with a bearer token from the app's own store.
    ///
    /// ```swift
    /// let session = URLSession.shared.authenticated(for: baseURL) { rejection in
    ///     try await store.token(replacing: rejection.credential)
    /// }
    /// ```
    ///
    /// Before each request, the closure is called with a rejection that contains no token. If a
    /// request with a token receives a 401, the closure is called with that token. If the closure
    /// returns another token, the request is sent once more. The calls are made one at a time, and
    /// concurrent requests can share a call, so the store needs to refresh each token only once. A
    /// request never uses a token from a call that began before the request was made, because
    /// another user may have signed in since. In all other respects, this function works like
    /// ``authenticated(by:clock:)``.
    ///
    /// Only the store knows which user a token belongs to. If the rejected token belongs to an
    /// earlier user, the closure should throw an error. If the closure returns a token instead, the
    /// earlier user's request is sent with that token.
    ///
    /// The closure can send requests, such as a refresh, over the returned session, which sends
    /// them without the token. The closure must not send such requests in a detached task.
    ///
    /// - Parameters:
    ///   - urls: The origins that receive the token, as for ``Credentials``.
    ///   - clock: The clock that times how long the body of a stream's error response is read.
    ///   - token: Returns the token for `Authorization: Bearer` (RFC 6750), or `nil` if nobody is
    ///     signed in. After a 401, the closure receives the rejected token, the request and the
    ///     response. If the closure throws, the requests waiting for the token fail with that
    ///     error. A call to the closure is never cancelled.
    public func authenticated(
        for urls: URL..., clock: any Clock<Duration> = ContinuousClock(),
        token:
            @escaping @Sendable (_ rejection: Credentials<String>.Rejection) async throws -> String?
    ) -> some HTTPSession {
        let store = TokenStore(session: failingAtOtherOrigins(), call: token)
        return AuthenticatedSession(
            next: self, clock: clock, origins: CredentialOrigins(urls), applied: store.applied)
    }
}

private struct AuthenticatedSession<Credential: Sendable>: HTTPSession {
    typealias Rejection = Credentials<Credential>.Rejection

    let next: any HTTPSession
    let clock: any Clock<Duration>
    let origins: CredentialOrigins
    var isRejected: (@Sendable (Data, HTTPURLResponse) throws -> Bool)?
    /// Returns a request with the credential, and a rejection. If a response rejects the
    /// credential, this closure is called again with that rejection, unless the rejection is nil.
    let applied:
        @Sendable (URLRequest, SendContext, _ rejection: Rejection?) async throws
            -> (URLRequest, Rejection?)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard try origins.contain(request.url) else {
            var (body, response) = try await next.send(request, awaiting: options)
            // An inner session may have changed the URL.
            if response.statusCode == 401, let url = request.url, try !origins.contain(response.url)
            {
                body.notes.missingCredential = origins.hint(for: url)
            }
            return (body, response)
        }
        // The context is a copy, because an inner session may have the credential of another user.
        var context = options.context
        context.begin()
        context.didFail?(nil)
        let (sent, possible) = try await applied(request, context, nil)
        var (body, response) = try await next.send(sent, awaiting: options)
        guard var rejection = possible, isOwn(response, of: sent),
            rejection.credential == nil || !sent.isSame(as: request),
            let data = try await beginning(of: &body, ifRejected: response)
        else { return (body, response) }
        (rejection.response, rejection.data) = (response, data)
        guard request.canBeSentAgain else {
            // Refresh the credential for later requests. The stream of this request has been read.
            var unsent = request
            unsent.httpBodyStream = nil
            context.didFail = nil
            Task { [rejection, unsent, context] in try? await applied(unsent, context, rejection) }
            return (body, response)
        }
        // An open stream may hold the last slot of a concurrency limit, and the refresh may need
        // one slot.
        if body.data == nil { body = body.completed(with: data) }
        let again: URLRequest
        do {
            (again, _) = try await applied(request, context, rejection)
        } catch TransportError.credentialChanged { return (body, response) }
        if again.isSame(as: request) || again.isSame(as: sent) { return (body, response) }
        return try await next.send(again, awaiting: options)
    }

    /// Returns the `data` of the rejection if a response rejects the credential, and nil otherwise.
    private func beginning(
        of body: inout HTTPBody, ifRejected response: HTTPURLResponse
    ) async throws -> Data? {
        guard isRejected != nil || response.statusCode == 401 else { return nil }
        var data = body.data ?? Data()
        if body.data == nil, response.statusCode >= 400 { data = await body.peek(on: clock) }
        return try isRejected?(data, response) != false ? data : nil
    }

    /// Returns whether a response is from the origin that received the credential.
    private func isOwn(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        // A redirect may have led to another origin. That origin never received the credential,
        // even if it is one of the credential's origins. The URL of a response made by hand may
        // have no host. Such a response is assumed to be from the right origin.
        guard let url = response.url, url.host() != nil else { return true }
        return url.origin == request.url?.origin
    }
}

extension URLRequest {
    /// Returns whether two requests have the same URL, headers and body. `==` ignores the headers.
    func isSame(as other: URLRequest) -> Bool {
        url == other.url && allHTTPHeaderFields == other.allHTTPHeaderFields
            && httpBody == other.httpBody && httpBodyStream === other.httpBodyStream
    }
}

/// The origins that receive a credential.
struct CredentialOrigins: Sendable {
    /// The text of each origin. If there are no texts, every origin receives the credential.
    ///
    /// The URLs are not stored, because a dump of a session would show any secret in them.
    private let texts: [[String]: String]
    /// The error for the first URL without a scheme or a host, or nil if there is no such URL.
    private let configurationError: RequestBuildingError?

    init(_ urls: [URL]) {
        configurationError =
            urls.first { $0.scheme == nil || ($0.host() ?? "").isEmpty }
            .map {
                RequestBuildingError(
                    "The credential's URL", $0.absoluteString,
                    "has no host. Begin it with a scheme and a host, such as "
                        + "https://api.example.com.")
            }
        texts = Dictionary(urls.map { ($0.origin, $0.originText) }) { first, _ in first }
    }

    /// - Throws: ``RequestBuildingError`` if a URL of the credential has no scheme or host, because
    ///   no request can match such a URL.
    func contain(_ url: URL?) throws -> Bool {
        if let configurationError { throw configurationError }
        return url.map { texts.isEmpty || texts[$0.origin] != nil } ?? false
    }

    /// Returns a sentence that says why the origin of a request's URL did not receive the
    /// credential.
    func hint(for url: URL) -> String {
        let own = texts.values.sorted().joined(separator: " and ")
        return "The credential for \(own) was not sent, because the request goes to "
            + "\(url.originText)."
    }
}
