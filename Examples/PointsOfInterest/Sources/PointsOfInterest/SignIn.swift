import APIKitLite
import Foundation

/// What the requests of this client are authorized with.
public struct AccessToken: Equatable, Sendable {
    /// The token itself.
    public let value: String

    /// Creates a token.
    public init(_ value: String) {
        self.value = value
    }
}

/// Asks for a token: `POST /token` (RFC 6749, section 4.4).
public struct SignInRequest: APIRequest, Sendable {
    private let baseURL: URL

    /// Creates a request to one server.
    public init(baseURL: URL) {
        self.baseURL = baseURL
    }

    /// Makes the request. Nothing is sent.
    public func makeRequest(from data: Void) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/token")
            .formBody(["grant_type": "client_credentials", "client_id": "pois"])
    }

    /// Parses the new token.
    public func parseResponse(data: Data) throws -> AccessToken {
        AccessToken(try jsonDecoder.decode(TokenResponse.self, from: data).accessToken)
    }
}

/// The response of `POST /token`, with the names of RFC 6749, section 5.1.
public struct TokenResponse: Codable, Equatable, Sendable {
    /// The new token.
    public let accessToken: String
    /// How the token is sent: `Bearer`.
    public let tokenType: String

    /// Creates a response with a bearer token.
    public init(accessToken: String) {
        self.accessToken = accessToken
        tokenType = "Bearer"
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
    }
}
