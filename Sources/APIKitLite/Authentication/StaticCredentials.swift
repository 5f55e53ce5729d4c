import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends a token that never changes by itself: see ``Credentials/bearer(_:for:)``.
public struct BearerAuthenticator: Authenticator {
    /// Sets the `Authorization` header.
    public func apply(_ token: String, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: token)
    }
}

/// Sends a user name and a password: see ``Credentials/basic(user:password:for:)``.
public struct BasicAuthenticator: Authenticator {
    /// A name and a password.
    public struct Credential: Equatable, Sendable {
        /// The user's name, without a colon.
        public var user: String
        /// The password, as it is.
        public var password: String

        /// A name and its password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Sets the `Authorization` header.
    public func apply(_ credential: Credential, to request: URLRequest) throws -> URLRequest {
        try request.authorization(user: credential.user, password: credential.password)
    }
}

extension Credentials where A == BearerAuthenticator {
    /// One token for all requests to an origin; an answer that rejects it is given as it is.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    public static func bearer(_ token: String, for baseURLs: URL...) -> Credentials {
        Credentials(BearerAuthenticator(), origins: baseURLs, token)
    }
}

extension Credentials where A == BasicAuthenticator {
    /// A user and a password for all requests to an origin.
    ///
    ///     let session = URLSession.shared.authenticated(
    ///         by: .basic(user: "emma", password: password, for: baseURL))
    public static func basic(user: String, password: String, for baseURLs: URL...) -> Credentials {
        Credentials(
            BasicAuthenticator(), origins: baseURLs,
            BasicAuthenticator.Credential(user: user, password: password))
    }
}

extension BasicAuthenticator.Credential: CustomStringConvertible, CustomReflectable,
    OpaquelyReflected
{
    /// The user, without the password.
    public var description: String { "user \(user), password \(Redaction.mark)" }
}
