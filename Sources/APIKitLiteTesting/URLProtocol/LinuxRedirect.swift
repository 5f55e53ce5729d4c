import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// The request that Foundation on Linux (6.3) makes of a redirect by itself, measured over a socket;
/// nil where it takes the response for the answer.
///
/// It differs from ``redirectedRequest(after:from:)`` where that is safer: each header goes along to
/// any origin, `Host` included; 303 makes a GET of a HEAD; 305 and 306 are followed; a relative path
/// counts from the root, and what cannot be a host is a path; the old fragment is dropped. A body is
/// in this request, as a delegate sees it, but never sent again.
func foundationRedirect(
    after response: HTTPURLResponse, from request: URLRequest
) -> URLRequest? {
    guard let location = response.value(forHTTPHeaderField: "Location"),
        let target = URL(string: location),
        let url = foundationRedirectURL(target, from: request.url)
    else { return nil }
    var next = request
    next.url = url
    switch response.statusCode {
    case 303,
        301 where request.httpMethod == "POST", 302 where request.httpMethod == "POST":
        next.httpMethod = "GET"
        next.httpBody = nil
    case 301, 302, 305...308: break
    default: return nil
    }
    return next
}

/// How many redirects Foundation follows by itself.
let foundationRedirectLimit = 20

private func foundationRedirectURL(_ target: URL, from origin: URL?) -> URL? {
    if target.scheme != nil && target.host != nil { return target }
    guard let origin,
        var parts = URLComponents(url: origin, resolvingAgainstBaseURL: false)
    else { return nil }
    if let host = target.host {
        parts.host = host
        parts.port = target.port
    }
    parts.path = target.path.hasPrefix("/") ? target.path : "/" + target.path
    parts.percentEncodedQuery = target.query
    parts.percentEncodedFragment = target.fragment
    return parts.url
}
#endif
