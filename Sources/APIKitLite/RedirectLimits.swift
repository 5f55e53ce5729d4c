import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where the redirects of one exchange may lead.
///
/// Anywhere, except where the request itself is a secret: see ``OriginBoundSession``.
package struct RedirectLimits: Sendable {
    private let first: URL?
    private let allowed: Set<[String]>?

    /// The origins that the exchanges of this task may be redirected to, besides their own; nil
    /// where any will do.
    @TaskLocal fileprivate static var origins: Set<[String]>?

    /// The limits of an exchange that is made in this task.
    package init(of request: URLRequest) {
        self.init(from: request.url, allowed: Self.origins)
    }

    package init(from first: URL?, allowed: Set<[String]>?) {
        self.first = first
        self.allowed = allowed
    }

    /// Why a redirect is not followed; nil if it is.
    package func refusal(of next: URL?) -> RefusedRedirect? {
        guard let allowed, let next, isElsewhere(next), !allowed.contains(next.origin) else {
            return nil
        }
        return RefusedRedirect(from: first?.originText ?? "", to: next.originText)
    }

    /// Whether a URL has another origin than the one that the exchange began with.
    package func isElsewhere(_ next: URL?) -> Bool {
        next?.origin != first?.origin
    }
}

/// A redirect led to another origin, with a request that is a secret itself, as the refresh of a
/// credential is. It was not followed, or its answer not used.
///
/// Where that origin may have the credential, name it among the URLs of ``Credentials``.
public struct RefusedRedirect: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The origin that the request was for, as in `https://auth.example.com`.
    public let from: String
    /// The origin that the redirect leads to.
    public let to: String

    /// A redirect that is not followed.
    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// A sentence that names both origins.
    public var errorDescription: String? {
        "\(from) redirected to \(to), which the request is not meant for."
    }

    /// What happened, and what to do about it.
    public var description: String {
        """
        \(from) redirected a request that carries a credential to \(to). That was refused. If \
        \(to) may have the credential, name it among the URLs of the Credentials: \
        Credentials(…, for: baseURL, URL(string: "\(to)")!).
        """
    }
}

/// A session whose exchanges are redirected to some origins only, besides their own.
///
/// Each session that follows redirects asks ``RedirectLimits``, however many policies lie between.
/// One that does not know it has sent the request by then, but its answer is refused.
struct OriginBoundSession: SessionPolicy {
    let next: any HTTPSession
    let origins: Set<[String]>

    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await RedirectLimits.$origins.withValue(origins) {
            let answer = try await next.exchange(request)
            // A response that was made by hand may not say where it is from.
            if let url = answer.1.url, url.host() != nil,
                let refusal = RedirectLimits(of: request).refusal(of: url)
            {
                throw refusal
            }
            return answer
        }
    }
}

extension URL {
    /// The origin as one writes it, without a usual port.
    fileprivate var originText: String {
        let host = host() ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://" + (host.contains(":") ? "[\(host)]" : host) + port
    }
}
