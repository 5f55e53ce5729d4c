import Foundation

/// An authenticator that sends a user name and a password: see
/// ``Credentials/basic(user:password:for:_:)``.
public struct BasicAuthenticator: Authenticator {
    /// A user name and a password.
    public struct Credential: Equatable, Sendable {
        /// The user name, which must not contain a colon.
        public var user: String
        /// The password, not encoded.
        public var password: String

        /// Creates a credential.
        ///
        /// - Parameters:
        ///   - user: The user name, which must not contain a colon.
        ///   - password: The password, not encoded.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Returns the request with the user name and password in its `Authorization` header, in UTF-8
    /// (RFC 7617).
    ///
    /// - Parameters:
    ///   - credential: The user name and the password.
    ///   - request: The request, whose `Authorization` header is replaced.
    /// - Returns: The request to send.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` when the user name contains
    ///   a colon.
    public func apply(_ credential: Credential, to request: URLRequest) throws -> URLRequest {
        try request.authorization(user: credential.user, password: credential.password)
    }
}

extension Credentials where A == BasicAuthenticator {
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
            BasicAuthenticator(), BasicAuthenticator.Credential(user: user, password: password),
            Configuration(origins: [baseURL] + others))
    }
}

extension BasicAuthenticator.Credential: CustomStringConvertible, CustomReflectable,
    OpaquelyReflected
{
    /// The user name, without the password.
    public var description: String { "user \(user), password \(Redaction.mark)" }
}

/// An authenticator that sends a bearer token without a refresh: see
/// ``Credentials/bearer(_:for:_:)``.
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
    ///   - baseURL: The origin that receives the token. A URL without a host is ignored.
    ///   - others: Other origins that receive the token.
    /// - Returns: Credentials without a refresh.
    public static func bearer(_ token: String, for baseURL: URL, _ others: URL...) -> Credentials {
        Credentials(BearerAuthenticator(), token, Configuration(origins: [baseURL] + others))
    }
}
