import Foundation

/// An authenticator that sends a user name and a password, or a bearer token, without a refresh: see
/// ``Credentials/basic(user:password:for:_:)`` and ``Credentials/bearer(_:for:_:)``.
///
/// An app whose token changes implements an ``Authenticator``, even one without a refresh.
public struct FixedAuthenticator: Authenticator {
    /// A user name and a password, or a bearer token.
    public struct Credential: Sendable {
        fileprivate var user: String?
        /// The password or the token, not encoded.
        fileprivate let secret: String
    }

    /// Returns the request with the credential in its `Authorization` header, in place of any
    /// earlier value.
    ///
    /// - Parameters:
    ///   - credential: The user name and the password (RFC 7617), or the token (RFC 6750).
    ///   - request: The request.
    /// - Returns: The request to send.
    /// - Throws: ``RequestBuildingError`` when the user name contains a colon, or the token a line
    ///   break or NUL.
    public func apply(_ credential: Credential, to request: URLRequest) throws -> URLRequest {
        guard let user = credential.user else {
            return try request.authorization(bearer: credential.secret)
        }
        return try request.authorization(user: user, password: credential.secret)
    }
}

extension FixedAuthenticator.Credential: CustomStringConvertible, CustomReflectable,
    OpaquelyReflected
{
    /// The user name, if there is one, without the password or the token.
    public var description: String {
        (user.map { "user \($0), password " } ?? "token ") + Redaction.mark
    }
}

extension Credentials where A == FixedAuthenticator {
    /// Returns credentials that send a user name and a password with all requests to some origins.
    ///
    ///     let session = URLSession.shared.authenticated(
    ///         by: .basic(user: "emma", password: password, for: baseURL))
    ///
    /// If a response rejects them, the caller receives that response.
    ///
    /// - Parameters:
    ///   - user: The user name, which must not contain a colon.
    ///   - password: The password, not encoded.
    ///   - baseURL: The origin that receives them. A URL without a host is ignored.
    ///   - others: Other origins that receive them.
    /// - Returns: Credentials without a refresh.
    public static func basic(
        user: String, password: String, for baseURL: URL, _ others: URL...
    ) -> Credentials {
        Credentials(
            FixedAuthenticator(), FixedAuthenticator.Credential(user: user, secret: password),
            Configuration(origins: [baseURL] + others))
    }

    /// Returns credentials that send the same token with all requests to some origins.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    ///
    /// If a response rejects the token, the caller receives that response.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - baseURL: The origin that receives the token. A URL without a host is ignored.
    ///   - others: Other origins that receive the token.
    /// - Returns: Credentials without a refresh.
    public static func bearer(_ token: String, for baseURL: URL, _ others: URL...) -> Credentials {
        Credentials(
            FixedAuthenticator(), FixedAuthenticator.Credential(secret: token),
            Configuration(origins: [baseURL] + others))
    }
}
