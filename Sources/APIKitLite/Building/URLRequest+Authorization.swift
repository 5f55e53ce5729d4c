import Foundation

extension URLRequest {
    /// Returns the request with a bearer token in its `Authorization` header (RFC 6750).
    ///
    /// Replaces any earlier value of the header.
    ///
    /// - Parameter token: The token, without the word `Bearer`.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a line break or NUL in
    ///   the token.
    public func authorization(bearer token: String) throws -> URLRequest {
        try header("Authorization", "Bearer \(token)")
    }

    /// Returns the request with a user name and a password in its `Authorization` header.
    ///
    /// This is the "Basic" scheme with UTF-8 (RFC 7617). Replaces any earlier value of the header.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - password: The password.
    /// - Throws: ``RequestBuildingError/unusableHeader(name:reason:)`` for a colon in the user
    ///   name, which would end it.
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
