/// The redirects of a request that a session follows.
public enum RedirectPolicy: Sendable {
    /// All redirects.
    case follow
    /// The redirects within the origin (scheme, host and port) of the request. Any other one fails
    /// with ``TransportError/refusedRedirect(from:to:)``.
    case sameOrigin
    /// None. The redirect itself is the response, with its status and its `Location`.
    case refuse
}
