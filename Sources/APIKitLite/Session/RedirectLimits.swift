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
    @TaskLocal static var origins: Set<[String]>?

    /// The limits of an exchange that is made in this task.
    package init(of request: URLRequest) {
        self.init(from: request.url, allowed: Self.origins)
    }

    package init(from first: URL?, allowed: Set<[String]>?) {
        self.first = first
        self.allowed = allowed
    }

    /// Why a redirect is not followed; nil if it is.
    package func refusal(of next: URL?) -> RefusedRedirectError? {
        guard let allowed, let next, isElsewhere(next), !allowed.contains(next.origin) else {
            return nil
        }
        return RefusedRedirectError(from: first?.originText ?? "", to: next.originText)
    }

    /// Whether a URL has another origin than the one that the exchange began with.
    package func isElsewhere(_ next: URL?) -> Bool {
        next?.origin != first?.origin
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
