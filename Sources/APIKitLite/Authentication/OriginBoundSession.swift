import Foundation

/// A session that allows redirects only to a request's own origin and to some other origins.
///
/// It sends a refresh. Every session of this library that follows redirects knows the same limits
/// from `RefreshScope`. A session of another kind may send a redirected request to another origin,
/// but this session refuses the response.
struct OriginBoundSession: SessionPolicy {
    let next: any HTTPSession
    /// The other origins that are allowed.
    let origins: Set<[String]>

    /// Sends a request within the limits.
    ///
    /// - Throws: `RefusedRedirectError` when the response is from another origin; otherwise the
    ///   error of the wrapped session.
    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let answer = try await next.exchange(request)
        // A response made by hand may have no host; it is accepted.
        if let url = answer.1.url, url.host() != nil,
            let refusal = RedirectLimits(from: request.url, allowed: origins).refusal(of: url)
        {
            throw refusal
        }
        return answer
    }

    /// Opens a stream within the limits.
    ///
    /// - Throws: The same errors as `exchange(_:)`.
    func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await next.openStream {
            try await OriginBoundSession(next: $0, origins: origins).exchange(request)
        }
    }
}
