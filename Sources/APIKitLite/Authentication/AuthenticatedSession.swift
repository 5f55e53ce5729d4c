import Foundation

extension HTTPSession {
    /// Sends each request with a credential, and renews the credential when it is no longer good.
    ///
    ///     let session = URLSession.shared.authenticated(by: tokens)
    ///
    /// Where the credential is stale, or an answer rejects it, it is refreshed: once, however many
    /// requests wait for it. Then the request is sent again, once; if it is rejected again the
    /// caller gets that answer. An answer that rejects an older credential than the present one
    /// causes no refresh: the request is sent again with the present one. A request whose body
    /// comes from a stream is not sent again, but the credential is refreshed for the next.
    ///
    /// A refresh that fails, fails the requests that wait for it with ``AuthenticationError``; the
    /// next request tries anew. A cancelled request ends at once and disturbs no other; the
    /// refresh goes on even if nobody waits any more, since many a refresh token is good for one use.
    ///
    /// A credential is never sent to another origin than the ones it is for, neither at first nor by
    /// a redirect, and an answer from another origin does not make it bad.
    ///
    /// - Parameter credentials: Who is signed in. Chains that share it refresh once.
    public func authenticated<A>(by credentials: Credentials<A>) -> AuthenticatedSession {
        AuthenticatedSession(next: self, credentials: credentials)
    }
}

/// A session that sends a credential along: see ``HTTPSession/authenticated(by:)``.
public struct AuthenticatedSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    let credentials: any CredentialSource

    /// Sends a request with the credential, a second time if it was not good.
    ///
    /// - Throws: What the session inside or ``Authenticator/apply(_:to:)`` throws;
    ///   ``AuthenticationError``; `URLError.cancelled` when the task is cancelled while it waits.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard credentials.covers(request.url),
            let first = try await credentials.authorize(request, afterRejected: nil, over: next)
        else { return try await next.exchange(request) }

        let answer = try await next.exchange(first.request)
        guard isRejection(answer) else { return answer }
        guard request.httpBodyStream == nil else {
            credentials.startRefresh(first.generation, over: next)
            return answer
        }
        guard
            let second = try await credentials.authorize(
                request, afterRejected: first.generation, over: next)
        else { return answer }
        return try await next.exchange(second.request)
    }

    private func isRejection(_ answer: (data: Data, response: HTTPURLResponse)) -> Bool {
        // A redirect may have led to somebody who was never shown the credential. A response that was
        // made by hand may not say where it is from.
        let url = answer.response.url
        return credentials.isRejection(answer.data, answer.response)
            && (url?.host() == nil || credentials.covers(url))
    }
}

/// Credentials of any kind.
protocol CredentialSource: AnyObject, Sendable {
    /// Whether a request to this URL may carry the credential.
    func covers(_ url: URL?) -> Bool

    func isRejection(_ data: Data, _ response: HTTPURLResponse) -> Bool

    /// The request with the present credential, refreshed if need be; nil if there is none.
    func authorize(
        _ request: URLRequest, afterRejected rejected: Int?, over next: any HTTPSession
    ) async throws -> AuthorizedRequest?

    /// Refreshes a rejected credential for the requests to come.
    func startRefresh(_ rejected: Int, over next: any HTTPSession)
}
