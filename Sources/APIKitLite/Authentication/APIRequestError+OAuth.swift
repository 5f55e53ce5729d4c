import Foundation

extension APIRequestError {
    /// Whether the server refused a refresh token, an authorization code or a password for good:
    /// the response has status 400 or 401 and the error `invalid_grant` in its JSON body (RFC 6749,
    /// section 5.2). A `refresh` of ``Credentials`` then returns nil, which signs the user out.
    public var isInvalidGrant: Bool {
        struct Problem: Decodable { let error: String }
        guard statusCode == 400 || statusCode == 401 else { return false }
        return (try? decodeBody(Problem.self))?.error == "invalid_grant"
    }
}
