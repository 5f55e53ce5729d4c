import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// Returns the request with which Foundation on Linux (6.3) follows a redirect, as measured over a
/// socket.
///
/// It is less safe than `redirectedRequest(after:from:)` in these points:
/// - Every header is sent to any origin, even `Host`.
/// - A 303 turns a HEAD into a GET.
/// - A 305 and a 306 are followed.
/// - A relative path starts at the root, and a location without a host is taken as a path.
/// - The fragment of the old URL is dropped.
///
/// The request contains the body, because a delegate sees it there; but Foundation never sends the
/// body again.
///
/// - Returns: `nil` if the response is the answer itself.
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

/// How many redirects Foundation on Linux follows before it fails.
let foundationRedirectLimit = 20

/// Returns the URL that Foundation on Linux makes of a `Location`.
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
