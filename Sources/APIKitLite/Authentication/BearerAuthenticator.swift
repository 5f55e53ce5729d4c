import Foundation

/// An authenticator that sends a bearer token without a refresh: see
/// ``Credentials/bearer(_:for:)``.
public struct BearerAuthenticator: Authenticator {
    /// Returns the request with the token in its `Authorization` header (RFC 6750).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - request: The request, whose `Authorization` header is replaced.
    /// - Returns: The request to send.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` when the token contains a
    ///   line break or NUL.
    public func apply(_ token: String, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: token)
    }
}

extension Credentials where A == BearerAuthenticator {
    /// Returns credentials that send the same token with all requests to some origins.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    ///
    /// If a response rejects the token, the caller receives that response.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - baseURLs: The origins that receive the token. A URL without a host is ignored.
    /// - Returns: Credentials without a refresh.
    public static func bearer(_ token: String, for baseURLs: URL...) -> Credentials {
        Credentials(BearerAuthenticator(), origins: baseURLs, token)
    }
}
