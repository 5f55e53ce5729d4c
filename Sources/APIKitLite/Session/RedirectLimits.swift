import Foundation

/// The origins that one exchange may be redirected to.
///
/// All origins are allowed, unless the request itself is a secret: see `RefreshScope`.
package struct RedirectLimits: Sendable {
    private let first: URL?
    private let allowed: Set<[String]>?

    /// Creates the limits of an exchange in the current task. They also hold for work that a refresh
    /// left behind at its timeout: it still has the secret.
    package init(of request: URLRequest) {
        self.init(from: request.url, allowed: RefreshScope.innermost?.origins)
    }

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - first: The URL of the request that the exchange begins with.
    ///   - allowed: The other origins that are allowed. Nil allows all.
    package init(from first: URL?, allowed: Set<[String]>?) {
        self.first = first
        self.allowed = allowed
    }

    /// Returns the error for a redirect that must not be followed, or nil if it may be.
    package func refusal(of next: URL?) -> RefusedRedirectError? {
        guard let allowed, let next, isElsewhere(next), !allowed.contains(next.origin) else {
            return nil
        }
        return RefusedRedirectError(from: first?.originText ?? "", to: next.originText)
    }

    /// Whether a URL has an origin other than the one that the exchange began with.
    package func isElsewhere(_ next: URL?) -> Bool {
        next?.origin != first?.origin
    }
}

extension URL {
    /// The origin as text, such as `https://auth.example.com`. It has a port if the URL has one.
    fileprivate var originText: String {
        let host = host() ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://" + (host.contains(":") ? "[\(host)]" : host) + port
    }
}
