import Foundation

/// Says how a credential is used: how it goes into a request, and when it is no longer good.
///
/// Each part is a function of its arguments, and the refresh is an ``APIRequest`` from the old
/// credential to the new one, so all of it is tested without a session:
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
/// Without a `refresh` only ``apply(_:to:)`` is left to write, as for an API key; a rejected request
/// then gets its answer as it is.
///
/// The refresh runs in the background, for whoever waits for it: in a module whose default isolation
/// is the main actor, it and the credential are each a `nonisolated struct`.
public protocol Authenticator<Credential>: Sendable {
    /// What is known of the user: a token, a key, a pair of tokens.
    associatedtype Credential: Sendable

    /// The request that exchanges a credential for a new one.
    associatedtype Refresh: APIRequest & Sendable = NoRefresh<Credential>
    where Refresh.RequestDataType == Credential, Refresh.ResponseDataType == Credential

    /// The request that exchanges a credential for a new one. It is sent without a credential of
    /// its own: what it needs, it takes from its input.
    var refresh: Refresh { get }

    /// The request with the credential in it: in a header, in the query.
    ///
    /// - Throws: Any error; the request is then not sent.
    func apply(_ credential: Credential, to request: URLRequest) throws -> URLRequest

    /// Whether a credential need not be tried because the server would reject it, as a token that
    /// has expired. By default, none is.
    func isStale(_ credential: Credential, now: Date) -> Bool

    /// Whether an answer says that the credential is not good. By default, a 401 where there is a
    /// refresh.
    func rejects(data: Data, response: HTTPURLResponse) -> Bool
}

extension Authenticator {
    /// None is stale: the server says so.
    public func isStale(_ credential: Credential, now: Date) -> Bool { false }

    /// A 401 says so.
    public func rejects(data: Data, response: HTTPURLResponse) -> Bool {
        response.statusCode == 401
    }
}

extension Authenticator where Refresh == NoRefresh<Credential> {
    /// There is none.
    public var refresh: NoRefresh<Credential> { NoRefresh() }

    /// No answer does: there is no other credential to try.
    public func rejects(data: Data, response: HTTPURLResponse) -> Bool { false }
}
