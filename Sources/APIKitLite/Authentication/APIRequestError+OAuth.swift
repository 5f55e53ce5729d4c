import Foundation

extension APIRequestError {
    /// Whether the server refused a refresh token, an authorization code or a password for good:
    /// the response has the error `invalid_grant` in its JSON body (RFC 6749, section 5.2). The RFC
    /// asks for status 400; Auth0 answers 403. A `refresh` of ``Credentials`` then returns nil, which
    /// signs the user out.
    public var isInvalidGrant: Bool {
        struct Problem: Decodable { let error: String }
        return (try? decodeBody(Problem.self))?.error == "invalid_grant"
    }
}
