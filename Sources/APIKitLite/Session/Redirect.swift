import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The request that a redirect leads to, or nil where the response is the answer itself.
///
/// 303 becomes a GET (a HEAD stays one), and so does a POST that meets 301 or 302; 307 and 308 keep
/// the method and the body (RFC 9110, section 15.4). The fragment is kept unless the location has
/// one. To another origin (scheme, host or port) only headers that describe the content or the
/// wish for it go along: those of RFC 9110 that begin with `Accept`, `Content-` and `If-`, `Range`
/// and `User-Agent`; no credential, no cookie, and no header this function does not know.
///
/// - Returns: nil for any other status, without a `Location`, and for one that is no http or https
///   URL.
public func redirectedRequest(
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
        next.removeHeaders { !openHeaders.contains($0) }
    }
    return next
}

/// How many redirects one exchange follows.
package let redirectLimit = 16

/// The request fields of RFC 9110 that say nothing about who asks. By name, since a prefix also
/// fits `Accept-Token`.
private let openHeaders: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language",
    "content-encoding", "content-language", "content-length", "content-location", "content-range",
    "content-type",
    "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
    "range", "user-agent",
]

private func redirectTarget(_ location: String, from origin: URL) -> URL? {
    guard let resolved = URL(string: location, relativeTo: origin)?.absoluteURL,
        ["http", "https"].contains(resolved.scheme?.lowercased()), resolved.host() != nil,
        var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
    else { return nil }
    if parts.percentEncodedFragment == nil {
        parts.percentEncodedFragment =
            URLComponents(url: origin, resolvingAgainstBaseURL: true)?.percentEncodedFragment
    }
    return parts.url
}

extension URL {
    /// Scheme, host and port (RFC 6454): who a credential was meant for.
    package var origin: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let standard = ["http": 80, "https": 443][scheme] ?? 0
        return [scheme, host()?.lowercased() ?? "", String(port ?? standard)]
    }
}

#if canImport(FoundationNetworking)
extension URLRequest {
    /// Keeps a configuration's `httpAdditionalHeaders` from going to another origin.
    ///
    /// Foundation on Linux adds them to each request that does not have them. libcurl sends no header
    /// whose value is blank.
    mutating func suppress(_ additional: [AnyHashable: Any]?) {
        for name in (additional ?? [:]).keys.map({ String(describing: $0) })
        where !openHeaders.contains(name.lowercased()) && value(forHTTPHeaderField: name) == nil {
            setValue(" ", forHTTPHeaderField: name)
        }
    }

    /// The request as libcurl would send it: without the headers that were suppressed.
    package var withoutSuppressedHeaders: URLRequest {
        guard allHTTPHeaderFields?.values.contains(" ") == true else { return self }
        var sent = self
        for (name, value) in allHTTPHeaderFields ?? [:] where value == " " {
            sent.setValue(nil, forHTTPHeaderField: name)
        }
        return sent
    }
}
#endif

extension URLRequest {
    fileprivate mutating func removeHeaders(where isUnwanted: (String) -> Bool) {
        for name in (allHTTPHeaderFields ?? [:]).keys where isUnwanted(name.lowercased()) {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
