import Foundation

/// One user's credential. Concurrent requests share the work of obtaining it.
///
/// ```swift
/// let tokens = Credentials(saved, for: baseURL) { tokens, request in
///     try request.authorization(bearer: tokens.access)
/// } isStale: { tokens in
///     tokens.expires < .now
/// } refresh: { rejection in
///     guard let old = rejection.credential else { return nil }  // nobody is signed in
///     return try await rejection.session.load(RefreshRequest(baseURL), old)
/// } save: { tokens in
///     try await keychain.store(tokens)
/// }
/// let session = URLSession.shared.authenticated(by: tokens)
///
/// tokens.credential = new  // signed in
/// tokens.credential = nil  // signed out
/// ```
///
/// Create one `Credentials` object and keep it. Chains that share the object share its refreshes.
/// While nobody is signed in, all requests are sent without a credential.
///
/// If the app has its own store, which refreshes the token, use
/// ``HTTPSession/authenticated(for:clock:token:)`` instead.
public final class Credentials<Credential: Sendable>: Sendable {
    /// The credential that `refresh` must replace, with the rejected request and its response.
    public struct Rejection: Sendable {
        /// The credential to replace, or nil if there is none.
        public internal(set) var credential: Credential?
        /// The rejected request, with its credential if it had one. Nil if no request was rejected.
        public internal(set) var request: URLRequest?
        /// The response that rejected the request. Nil if the refresh has another reason: the
        /// credential is stale or missing, or ``Credentials/refresh()`` was called.
        public internal(set) var response: HTTPURLResponse?
        /// The response's body, or at most the first mebibyte of a stream's body. Empty if there is
        /// no response.
        public internal(set) var data = Data()
        /// The session that sends the refresh. For `session.authenticated(by: tokens)`, it is
        /// `session`.
        ///
        /// The policies of this session, such as an API key or a timeout, apply to the refresh. A
        /// refresh fails if the server redirects it to another origin. If several chains share the
        /// credentials, this is the session of the chain whose request starts the refresh. For
        /// ``Credentials/value()`` and ``Credentials/refresh()``, it is the session of the chain
        /// that was created last, or `URLSession.shared` if there is no chain. If the refreshes
        /// over all chains need the same timeout, add it to this session in the `refresh` closure.
        public let session: any HTTPSession
        /// The number of the version to replace: see `Version`.
        var number: Int?
    }

    /// The closures of `Credentials`, which never change.
    ///
    /// The closures are in a struct, because a closure that a generic class stores directly is
    /// wrapped again at each read: see `Locked`.
    struct Configuration: Sendable {
        let apply: @Sendable (Credential, URLRequest) async throws -> URLRequest
        var isStale: @Sendable (Credential) -> Bool = { _ in false }
        var isRejected: (@Sendable (Data, HTTPURLResponse) throws -> Bool)?
        var load: (@Sendable () async throws -> Credential?)?
        var refresh: (@Sendable (Rejection) async throws -> Credential?)?
        var save: (@Sendable (Credential?) async throws -> Void)?
    }

    let configuration: Configuration
    let origins: CredentialOrigins
    let current: Locked<Version>
    /// The session that `value()` and `refresh()` use.
    let session = Locked<any HTTPSession>(URLSession.shared.failingAtOtherOrigins())
    /// The semaphore that is held during a call to `save`.
    let saving = AsyncSemaphore(1)

    /// Creates the credential of one user.
    ///
    /// `load`, or else `refresh`, provides a missing credential. `refresh` also replaces a
    /// credential that is stale or that a response has rejected. Without `refresh`, as for an API
    /// key, the caller of a rejected request receives the response that rejected it.
    ///
    /// A request is sent at most twice. For each request, `load` is called at most once, and
    /// `apply` at most three times. `refresh` is called at most three times: for a missing
    /// credential, for a stale credential, and after a response rejects the credential. Each
    /// credential that `refresh` returns is saved at most once. All requests share these calls,
    /// except calls to `apply`. Even if the last call to `refresh` returns a stale credential, the
    /// request is sent with it. A rejected request is not sent again unchanged.
    ///
    /// A request that `load`, `refresh` or `save` sends over the authenticated session is sent
    /// without the credential. A request that these closures send over that session in a detached
    /// task, or over another session whose own refresh uses that session, could wait for itself.
    ///
    /// - Parameters:
    ///   - credential: The saved credential, or nil if there is none or a closure provides it.
    ///   - urls: The origins (scheme, host and port) that receive the credential. If a URL has no
    ///     scheme or host, each request fails with ``RequestBuildingError``. If you pass no URL,
    ///     every request carries the credential until a redirect leads to another origin.
    ///   - apply: Returns a request with the credential added, for example in a header or as a
    ///     signature. If the closure returns the request unchanged, the request is sent without the
    ///     credential, so a 401 causes no refresh. If the closure throws, the request is not sent,
    ///     and its caller receives the error. The closure must send its own requests over another
    ///     session. If the closure sets ``credential``, the request fails with
    ///     ``TransportError/credentialChanged``.
    ///   - isStale: Whether the credential has expired, so that the server would reject it. A stale
    ///     credential is refreshed before a request is sent. By default, no credential is stale.
    ///   - isRejected: Whether a response rejects the credential of its request. By default, a
    ///     response with status 401 (RFC 9110, 15.5.2) rejects the credential. For a stream, the
    ///     data is the part of the body's first mebibyte that arrives within 5 seconds, or empty if
    ///     the status is below 400. If the closure throws, the request fails with its error.
    ///   - load: Returns the saved credential, or nil if there is none. The closure is called
    ///     before the first request, unless you pass or set a credential. The loaded credential is
    ///     not saved again. If the closure throws, the requests waiting for it fail with its error,
    ///     and the next request causes another call.
    ///   - refresh: Returns the next credential of the same user, or nil if nobody is signed in. If
    ///     the closure throws, the requests waiting for it fail with its error, and the next
    ///     request that needs a refresh causes another call. Throw a ``SignOutError`` to sign the
    ///     user out as well. A call to the closure is never cancelled, because many refresh tokens
    ///     can be used only once. If the first credential is missing, the closure is called before
    ///     the first request. If that call returns nil, requests are sent without a credential, and
    ///     the closure is called again after the first 401, so that it can ask the user to sign in.
    ///   - save: Saves a credential that `refresh` returned or, in the background, a credential
    ///     that the app set. If the credential is nil, removes the saved credential. Calls to
    ///     `save` are made one at a time, in the order of the changes. `save` is not called for a
    ///     credential that is no longer the current one. Requests and refreshes wait until the
    ///     credential that they use is saved. `save` must therefore return: until it returns, no
    ///     later credential is saved or sent. If `save` throws, the requests waiting for it fail
    ///     with its error, the credential stays the current one, and `save` is called again for the
    ///     next request. A request without a credential does not wait for `save`. ``value()``
    ///     throws if a sign-out cannot be saved. A credential that `save` itself sets counts as
    ///     saved.
    public convenience init(
        _ credential: Credential? = nil, for urls: URL...,
        apply:
            @escaping @Sendable (_ credential: Credential, _ request: URLRequest) async throws
            -> URLRequest,
        isStale: @escaping @Sendable (_ credential: Credential) -> Bool = { _ in false },
        isRejected: (@Sendable (_ data: Data, _ response: HTTPURLResponse) throws -> Bool)? = nil,
        load: (@Sendable () async throws -> Credential?)? = nil,
        refresh: (@Sendable (_ rejection: Rejection) async throws -> Credential?)? = nil,
        save: (@Sendable (_ credential: Credential?) async throws -> Void)? = nil
    ) {
        let closures = Configuration(
            apply: apply, isStale: isStale, isRejected: isRejected, load: load, refresh: refresh,
            save: save)
        self.init(credential, for: urls, closures)
    }

    private init(_ credential: Credential?, for urls: [URL], _ configuration: Configuration) {
        self.configuration = configuration
        origins = CredentialOrigins(urls)
        current = Locked(Version(credential: credential))
    }

    /// The credential that requests are sent with, or nil if nobody is signed in or the first
    /// credential is still missing. To wait for the first credential, use ``value()``.
    ///
    /// Set the credential when the user signs in, and set it to nil when the user signs out. The
    /// change takes effect immediately, and the result of a refresh in progress is ignored.
    ///
    /// A user's requests are never sent with the next user's credential. Once the app sets another
    /// credential or nil, the caller of a request that has received a 401 receives that response. A
    /// request that has not been sent, or waits for a retry, fails with
    /// ``TransportError/credentialChanged``. A request that was made while nobody was signed in may
    /// be sent with the credential of the user who signs in.
    public var credential: Credential? {
        get { current.withLock { $0.credential } }
        set { change(to: newValue, isSaved: SharedWork.isRunning(for: saving)) }
    }

    /// Returns a credential that is valid now, for example for a WebSocket's header.
    ///
    /// This function loads the first credential, and refreshes a missing or stale credential, even
    /// after a sign-out. It shares the calls to `load` and `refresh` with pending requests. It then
    /// waits until the credential, or a sign-out, is saved. It calls `refresh` at most twice.
    ///
    /// - Returns: The credential, or nil if nobody is signed in, or if `load`, `refresh` or `save`
    ///   calls this function.
    /// - Throws: Any error thrown by a closure, or `URLError.cancelled` when the task is cancelled.
    @discardableResult
    public func value() async throws -> Credential? { try await value(isForced: false) }

    /// Refreshes the credential, even if it is missing or still valid, and saves the new
    /// credential. If a refresh is in progress, waits for that refresh. Calls the `refresh` closure
    /// at most twice.
    ///
    /// - Returns: The new credential, or nil if nobody is signed in, or if `load`, `refresh` or
    ///   `save` calls this function.
    /// - Throws: Any error thrown by a closure, or `URLError.cancelled` when the task is cancelled.
    @discardableResult
    public func refresh() async throws -> Credential? { try await value(isForced: true) }
}

/// An error that the `refresh` of ``Credentials`` throws to sign the user out.
///
/// The credential becomes nil, and the requests waiting for the refresh fail with the underlying
/// error. To sign the user out without an error, return nil from `refresh`.
public struct SignOutError: Error {
    /// The reason for the sign-out. The requests waiting for the refresh fail with this error.
    public let underlying: any Error

    /// Creates an error that signs the user out.
    ///
    /// - Parameter underlying: The reason, such as the error of the refresh.
    public init(_ underlying: any Error) { self.underlying = underlying }
}

// The password or token is in a closure, so that a dump of the `credential`, which is `()`, cannot
// show it.
extension Credentials where Credential == Void {
    /// Returns a user name and a password (RFC 7617) as a credential that is never refreshed.
    ///
    ///     let session = URLSession.shared.authenticated(
    ///         by: .basic(user: "emma", password: password, for: baseURL))
    ///
    /// - Parameters:
    ///   - user: The user name, which must not contain a colon.
    ///   - password: The password, not encoded.
    ///   - urls: The origins that receive the user name and password, as for `Credentials`.
    public static func basic(user: String, password: String, for urls: URL...) -> Credentials {
        Credentials((), for: urls, .init { try $1.authorization(user: user, password: password) })
    }

    /// Returns a bearer token (RFC 6750) as a credential that is never refreshed.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - urls: The origins that receive the token, as for `Credentials`.
    public static func bearer(_ token: String, for urls: URL...) -> Credentials {
        Credentials((), for: urls, .init { try $1.authorization(bearer: token) })
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {}

extension Credentials.Rejection: CustomStringConvertible, CustomReflectable, OpaquelyReflected {}

extension APIRequestError {
    /// Whether the server permanently refused a refresh token, an authorization code or a password:
    /// the JSON body contains the error `invalid_grant` (RFC 6749, section 5.2). The RFC requires
    /// status 400, but Auth0 sends 403. If this property is true, the `refresh` of ``Credentials``
    /// should return nil or throw a ``SignOutError``, to sign the user out.
    public var isInvalidGrant: Bool {
        struct Problem: Decodable { let error: String }
        return (try? decodeBody(Problem.self))?.error == "invalid_grant"
    }
}
