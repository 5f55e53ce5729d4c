import Foundation

/// A description of how a credential is added to a request, and when and how it is refreshed.
///
/// Each function depends only on its arguments. The refresh is an ``APIRequest`` that takes the old
/// credential and returns the new one. So a test of an authenticator needs no session:
///
/// ```swift
/// struct TokenAuthenticator: Authenticator {
///     let refresh: RefreshRequest  // an APIRequest from Token to Token
///
///     func apply(_ token: Token, to request: URLRequest) throws -> URLRequest {
///         try request.authorization(bearer: token.access)
///     }
/// }
///
/// let tokens = Credentials(
///     TokenAuthenticator(refresh: RefreshRequest(baseURL: baseURL)), for: baseURL,
///     credential: token)
/// let session = URLSession.shared.authenticated(by: tokens)
/// ```
///
/// An authenticator without a `refresh`, such as one for an API key, implements only
/// ``apply(_:to:)``. The caller of a rejected request then receives the response that rejects it.
///
/// The refresh runs in the background. If the default isolation of your module is the main actor,
/// declare the refresh request and the credential as `nonisolated struct`.
public protocol Authenticator<Credential>: Sendable {
    /// The type of the credential, such as a token, a key or a pair of tokens.
    associatedtype Credential: Sendable

    /// The type of the request that exchanges a credential for a new one.
    associatedtype Refresh: APIRequest & Sendable = NoRefresh<Credential>
    where Refresh.RequestDataType == Credential, Refresh.ResponseDataType == Credential

    /// The request that exchanges a credential for a new one.
    ///
    /// It is sent without the credential that it refreshes, which is its input. Other credentials
    /// of the chain, such as an API key, are added to it.
    var refresh: Refresh { get }

    /// Returns the request with the credential added, for example in a header or in the query.
    ///
    /// - Parameters:
    ///   - credential: The current credential.
    ///   - request: The request, without a credential.
    /// - Returns: The request to send.
    /// - Throws: Any error. The request is then not sent, and its caller receives the error.
    func apply(_ credential: Credential, to request: URLRequest) throws -> URLRequest

    /// Whether the server would reject the credential, for example because a token has expired.
    ///
    /// A stale credential is refreshed before a request is sent. By default, no credential is
    /// stale.
    ///
    /// - Parameters:
    ///   - credential: The credential to check.
    ///   - now: The current time.
    func isStale(_ credential: Credential, now: Date) -> Bool

    /// Whether a response rejects the credential of its request.
    ///
    /// By default, a response with status 401 does if there is a `refresh`. Without a `refresh`, no
    /// response does.
    ///
    /// - Parameters:
    ///   - data: The body of the response.
    ///   - response: The response to a request that was sent with the credential.
    func rejects(data: Data, response: HTTPURLResponse) -> Bool

    /// Whether the user must sign in again, because the server refused to refresh the credential.
    ///
    /// If it returns true, ``Credentials`` sets the credential to `nil`, unless the app set another
    /// one meanwhile. By default, the status is 400 or 401 and the body has the error
    /// `invalid_grant` (RFC 6749, section 5.2).
    ///
    /// - Parameter error: The error of the refresh.
    func requiresSignIn(after error: APIRequestError) -> Bool
}

extension Authenticator {
    /// Returns `false`: only a response decides whether the credential is still valid.
    ///
    /// - Parameters:
    ///   - credential: The credential to check.
    ///   - now: The current time.
    public func isStale(_ credential: Credential, now: Date) -> Bool { false }

    /// Whether the status of the response is 401 (RFC 9110, 15.5.2).
    ///
    /// - Parameters:
    ///   - data: The body of the response.
    ///   - response: The response to a request that was sent with the credential.
    public func rejects(data: Data, response: HTTPURLResponse) -> Bool {
        response.statusCode == 401
    }

    /// Whether the response has status 400 or 401 and the error `invalid_grant` in its JSON body
    /// (RFC 6749, section 5.2).
    ///
    /// - Parameter error: The error of the refresh.
    public func requiresSignIn(after error: APIRequestError) -> Bool {
        guard error.statusCode == 400 || error.statusCode == 401 else { return false }
        return (try? error.decodeBody(OAuthProblem.self))?.error == "invalid_grant"
    }
}

private struct OAuthProblem: Decodable {
    let error: String
}

extension Authenticator where Refresh == NoRefresh<Credential> {
    /// A refresh that always fails: see ``NoRefresh``.
    public var refresh: NoRefresh<Credential> { NoRefresh() }

    /// Returns `false`: without a refresh there is no other credential to try.
    ///
    /// - Parameters:
    ///   - data: The body of the response.
    ///   - response: The response to a request that was sent with the credential.
    public func rejects(data: Data, response: HTTPURLResponse) -> Bool { false }
}

/// The refresh of an authenticator without one: it always throws, and sends nothing.
public struct NoRefresh<Credential>: APIRequest, Sendable {
    /// Throws, because there is no refresh request.
    ///
    /// - Parameter credential: The credential to refresh.
    /// - Throws: An error that says so, always.
    public func makeRequest(from credential: Credential) throws -> URLRequest {
        throw NoRefreshError()
    }

    /// Throws, because there is no refresh response.
    ///
    /// - Parameter data: The body of a response.
    /// - Throws: An error that says so, always.
    public func parseResponse(data: Data) throws -> Credential {
        throw NoRefreshError()
    }
}

/// The error of an attempt to refresh a credential that cannot be refreshed.
package struct NoRefreshError: DescribedError {
    /// The text for a developer whose authenticator reports a credential as stale or rejected.
    package let description =
        "This credential cannot be refreshed. Give its authenticator a refresh request, and call "
        + "authenticated(by:) with the credentials; or set another credential."
}
