import Foundation

extension HTTPSession {
    /// Returns a session that decides which redirects of its requests are followed.
    ///
    ///     let (_, response) = try await session.redirecting(.refuse).data(for: request)
    ///     let location = response.value(forHTTPHeaderField: "Location")
    ///
    /// Without this policy, all redirects are followed. If a
    /// chain has several such policies, the outermost one, which is the last one added, decides. A
    /// refresh of a credential is a secret: it is always redirected within its origin only.
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPSession {
        RedirectingSession(next: self, rule: .policy(policy))
    }

    /// Returns a session that asks a closure before it follows a redirect.
    ///
    ///     // The file itself is elsewhere. Its size and hash are in the redirect.
    ///     session.redirecting { response, next in
    ///         response.value(forHTTPHeaderField: "X-Linked-Etag") == nil ? next : nil
    ///     }
    ///
    /// As with ``redirecting(_:)``, the outermost policy of a chain decides.
    ///
    /// - Parameter decide: Gets the redirect and the request that follows it, with the headers that may
    ///   go to its origin. Returns this request, a changed one, or nil: the redirect itself is then
    ///   the response. If it throws, the exchange fails with its error. At most 16 redirects are
    ///   followed.
    public func redirecting(
        _ decide:
            @escaping @Sendable (_ response: HTTPURLResponse, _ next: URLRequest) throws
            -> URLRequest?
    ) -> some HTTPSession {
        RedirectingSession(next: self, rule: .closure(decide))
    }

    /// Returns a session whose requests are secrets, such as a refresh: they fail at a redirect to
    /// another origin.
    func failingAtOtherOrigins() -> some HTTPSession {
        RedirectingSession(next: self, rule: .sameOriginOrFailure)
    }
}

private struct RedirectingSession: SessionPolicy {
    let next: any HTTPSession
    let rule: RedirectRule

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var options = options
        options.context.redirects = options.context.redirects ?? rule
        return try await next.send(request, awaiting: options)
    }
}
