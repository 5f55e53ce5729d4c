import Foundation

/// Which redirects a session follows. Without a redirect policy, it follows any redirect, up to 16.
public enum RedirectPolicy: Sendable {
    /// Follows redirects within the request's origin (scheme, host and port). A redirect to another
    /// origin is returned as the response, with its status and `Location`.
    case sameOrigin
    /// Follows no redirect. The redirect itself is returned as the response, with its status and
    /// `Location`.
    case refuse
}

/// Decides whether a redirect of a request is followed. Returns the request to send next, or nil to
/// make the redirect the response.
typealias RedirectRule =
    @Sendable (_ request: URLRequest, _ response: HTTPURLResponse, _ next: URLRequest) throws
    -> URLRequest?

extension SendContext {
    /// Returns the request that follows a redirect, or nil if the response is the final response.
    ///
    /// - Throws: Any error thrown by the app's closure, or
    ///   ``TransportError/refusedRedirect(from:to:)`` if the redirect would send a secret to
    ///   another origin.
    package func redirectedRequest(
        after response: HTTPURLResponse, from request: URLRequest
    ) throws -> URLRequest? {
        let next = APIKitLite.redirectedRequest(after: response, from: request)
        guard let next, let redirects else { return next }
        return try redirects(request, response, next)
    }
}

/// Returns the request that follows a redirect. Returns nil if the response is final: it has no
/// redirect status, or no `Location` with an `http` or `https` URL.
///
/// After 303, any request except a HEAD becomes a GET without a body. After 301 or 302, only a POST
/// does. Otherwise, the method and the body are kept (RFC 9110, section 15.4). The fragment is kept
/// unless the location has its own fragment (RFC 9110, section 10.2.2).
///
/// A redirected request to another origin (scheme, host or port) keeps only these headers: `Range`,
/// `User-Agent`, `Last-Event-ID` (without it, a stream would start over), and the request headers
/// of RFC 9110 whose names begin with `Accept`, `Content-` or `If-`. Credentials, cookies and all
/// other headers are removed.
package func redirectedRequest(
    after response: HTTPURLResponse, from request: URLRequest
) -> URLRequest? {
    let status = response.statusCode
    guard [301, 302, 303, 307, 308].contains(status), let origin = request.url,
        let location = response.value(forHTTPHeaderField: "Location"),
        let target = redirectTarget(location, from: origin)
    else { return nil }

    var next = request
    next.url = target
    let method = request.httpMethod ?? "GET"
    if (status == 303 && method != "HEAD") || (status < 303 && method == "POST") {
        next.httpMethod = "GET"
        next.httpBody = nil
        next.httpBodyStream = nil
        next.removeHeaders { $0.hasPrefix("content-") || $0 == "transfer-encoding" }
    }
    next.setValue(nil, forHTTPHeaderField: "Host")
    if target.origin != origin.origin {
        next.removeHeaders { !isOpenHeader($0) }
    }
    return next
}

package let redirectLimit = 16

/// The request headers that may be sent to another origin, in lower case. The names are listed in
/// full, because a prefix would also match `Accept-Token`.
private let openHeaders = words(
    """
    accept accept-charset accept-encoding accept-language content-encoding content-language
    content-length content-location content-range content-type last-event-id if-match
    if-modified-since if-none-match if-range if-unmodified-since range user-agent
    """)

/// Returns the absolute URL of a location, or nil if the URL is not an `http` or `https` URL with a
/// host.
private func redirectTarget(_ location: String, from origin: URL) -> URL? {
    guard let resolved = URL(reference: location, relativeTo: origin)?.absoluteURL,
        ["http", "https"].contains(resolved.scheme?.lowercased()), resolved.host() != nil,
        var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
    else { return nil }
    // Foundation on Linux recognizes only lowercase schemes.
    parts.scheme = parts.scheme?.lowercased()
    if parts.percentEncodedFragment == nil {
        parts.percentEncodedFragment =
            URLComponents(url: origin, resolvingAgainstBaseURL: true)?.percentEncodedFragment
    }
    return parts.url
}

extension URL {
    /// The origin of the URL: scheme, host and port (RFC 6454).
    var origin: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let standard = ["http": 80, "https": 443][scheme] ?? 0
        return [scheme, host()?.lowercased() ?? "", String(port ?? standard)]
    }

    /// The origin as text, such as `https://auth.example.com`, with a port if the URL has one.
    var originText: String {
        let host = host() ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://" + (host.contains(":") ? "[\(host)]" : host) + port
    }
}

/// Returns whether a header may be sent to another origin. The case of its name is ignored.
func isOpenHeader(_ name: String) -> Bool { openHeaders.contains(name.lowercased()) }

extension URLRequest {
    /// Removes the headers whose lowercase names satisfy a condition.
    fileprivate mutating func removeHeaders(where isUnwanted: (String) -> Bool) {
        for name in (allHTTPHeaderFields ?? [:]).keys where isUnwanted(name.lowercased()) {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
