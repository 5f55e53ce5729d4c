import Foundation

extension HTTPSession {
    /// Returns a session that decides which redirects of its requests are followed.
    ///
    ///     let (_, response) = try await session.redirecting(.refuse).exchange(request)
    ///     let location = response.value(forHTTPHeaderField: "Location")
    ///
    /// Without this policy, all redirects are followed. If a
    /// chain has several such policies, the outermost one, which is the last one added, decides. A
    /// refresh of a credential is a secret: it is always redirected within its origin only.
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPSession {
        RedirectingSession(next: self, policy: policy)
    }
}

private struct RedirectingSession: SessionPolicy {
    let next: any HTTPSession
    let policy: RedirectPolicy

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var options = options
        options.context.redirects = options.context.redirects ?? policy
        return try await next.send(request, awaiting: options)
    }
}
