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
