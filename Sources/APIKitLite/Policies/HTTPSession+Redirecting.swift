import Foundation

extension HTTPSession {
    /// Returns a session that decides which redirects of its requests are followed.
    ///
    ///     let (_, response) = try await session.redirecting(.refuse).data(for: request)
    ///     let location = response.value(forHTTPHeaderField: "Location")
    ///
    /// Without this policy, all redirects are followed, up to 16. If a chain has several such
    /// policies, the outermost policy, which was added last, applies. To follow all redirects in
    /// spite of an inner policy, write `redirecting { _, next in next }`. A refresh request
    /// contains a secret, so its redirects are followed only within its origin.
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPSession {
        redirecting(by: { request, _, next in
            switch policy {
            case .sameOrigin: request.url?.origin == next.url?.origin ? next : nil
            case .refuse: nil
            }
        })
    }

    /// Returns a session that asks a closure before it follows a redirect.
    ///
    ///     // The file itself is elsewhere. Its size and hash are in the redirect.
    ///     session.redirecting { response, next in
    ///         response.value(forHTTPHeaderField: "X-Linked-Etag") == nil ? next : nil
    ///     }
    ///
    /// As with ``redirecting(_:)``, the outermost policy in a chain applies.
    ///
    /// - Parameter decide: Receives the redirect and the next request, which has only the headers
    ///   that may go to its origin. Returns the next request, a changed request, or nil to make the
    ///   redirect the response. If the closure throws, the exchange throws the same error. At most
    ///   16 redirects are followed.
    public func redirecting(
        _ decide:
            @escaping @Sendable (_ response: HTTPURLResponse, _ next: URLRequest) throws
            -> URLRequest?
    ) -> some HTTPSession {
        redirecting(by: { try decide($1, $2) })
    }

    /// Returns a session for requests that contain a secret, such as refresh requests. These
    /// requests fail at a redirect to another origin, because a caller that expects a token cannot
    /// use the redirect.
    func failingAtOtherOrigins() -> some HTTPSession {
        redirecting(by: { request, _, next in
            if let from = request.url, let to = next.url, from.origin != to.origin {
                throw TransportError.refusedRedirect(from: from.originText, to: to.originText)
            }
            return next
        })
    }

    private func redirecting(by rule: @escaping RedirectRule) -> some HTTPSession {
        changingContext { $0.redirects = $0.redirects ?? rule }
    }
}
