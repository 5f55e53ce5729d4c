import Foundation

extension URLRequest {
    /// Sets the `Authorization` header to a bearer token (RFC 6750), in place of any it had.
    ///
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a line break or NUL.
    public func authorization(bearer token: String) throws -> URLRequest {
        try header("Authorization", "Bearer \(token)")
    }

    /// Sets the `Authorization` header to a user and a password, in UTF-8 (RFC 7617), in place of
    /// any it had.
    ///
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a colon in the name of
    ///   the user, which would end it.
    public func authorization(user: String, password: String) throws -> URLRequest {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestBuildingError.unusableHeader(
                name: "Authorization",
                reason: "has a user name with a colon in it, which ends the name. Remove the colon."
            )
        }
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return try header("Authorization", "Basic \(pair)")
    }
}

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
