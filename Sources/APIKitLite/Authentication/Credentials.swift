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
/// Create one object and keep it. Chains that share the object share its work. While nobody is
/// signed in, all requests are sent without a credential.
///
/// If the app has its own store, which refreshes the token, use
/// ``HTTPSession/authenticated(for:clock:token:)`` instead.
public final class Credentials<Credential: Sendable>: Sendable {
    /// The credential that `refresh` must replace, with the request and response that rejected it.
    public struct Rejection: Sendable {
        /// The stale or rejected credential to replace, or nil if there is none.
        public internal(set) var credential: Credential?
        /// The request as it was sent, with the credential. Nil if no response rejected it.
        public internal(set) var request: URLRequest?
        /// The response that rejected the request. Nil if there is none, because the credential is
        /// stale or missing, or ``Credentials/refresh()`` was called.
        public internal(set) var response: HTTPURLResponse?
        /// The session that sends the refresh. For `inner.authenticated(by: tokens)`, it is `inner`.
        ///
        /// Policies of `inner` apply to the refresh, such as an API key or a timeout. Redirects are
        /// followed only within an origin. If several chains share the credentials, this is the
        /// session of the chain that was created last. Create a chain for files, whose timeout is
        /// long, before the others. Until a chain is created, the session is `URLSession.shared`.
        public let session: any HTTPSession
        /// The credential's generation: see `State`.
        let generation: Int?
    }

    typealias Refresh = @Sendable (_ rejection: Rejection) async throws -> Credential?
    typealias Save = @Sendable (_ credential: Credential?) async throws -> Void

    struct State {
        var credential: Credential?
        /// How many times the credential has changed. The number distinguishes a credential from an
        /// earlier, equal one. A call to the app's store without a rejection does not count.
        var generation = 0
        /// False until the first credential is obtained or set.
        var isKnown: Bool
        /// The generation that was saved last.
        var savedGeneration = 0
        /// The latest work.
        var work: Work?
        /// The session that a refresh uses.
        var session: any HTTPSession = URLSession.shared.failingAtOtherOrigins()

        var isSaved: Bool { savedGeneration == generation }
    }

    /// The values that never change.
    ///
    /// The values are in a struct because a closure that a generic class stores directly is wrapped
    /// again at each read: see `Locked`.
    struct Configuration: Sendable {
        let urls: [URL]
        /// Whether each request first asks the app's own store.
        var isAsked = false
        let apply: @Sendable (Credential, URLRequest) async throws -> URLRequest
        var isStale: @Sendable (Credential) -> Bool = { _ in false }
        var isRejected: @Sendable (Data, HTTPURLResponse) -> Bool = { $1.statusCode == 401 }
        var refresh: Refresh?
        var save: Save?
    }

    let configuration: Configuration
    /// The origins that receive the credential. If nil, every origin does.
    let origins: Set<[String]>?
    let state: Locked<State>
    /// Held during a call to `save`.
    let saving = AsyncSemaphore(1)

    /// Creates the credential of one user.
    ///
    /// The `refresh` closure provides the first credential, and the next one when the current one
    /// is stale or a response has rejected it. Without a `refresh`, such as for an API key, the
    /// caller of a rejected request receives the response.
    ///
    /// A request that `refresh` or `save` sends over the authenticated session goes without the
    /// credential. In a detached task, or over a session whose own refresh uses this one, such a
    /// request would wait for itself.
    ///
    /// - Parameters:
    ///   - credential: The saved credential, or nil if `refresh` provides it or nobody is signed
    ///     in.
    ///   - urls: The origins (scheme, host and port) that receive the credential. A URL without a
    ///     host is ignored. Without a URL, each request of the app carries the credential to its
    ///     own origin. A redirect to another origin loses it.
    ///   - apply: Returns a request with the credential added, for example in a header or as a
    ///     signature. If it returns the request as it is, the request is sent without the
    ///     credential, so a 401 refreshes nothing. If it throws, the request is not sent, and its
    ///     caller receives the error. Any request that it sends must go over another session.
    ///   - isStale: Whether the credential has expired, so that the server would reject it. A stale
    ///     credential is refreshed before a request is sent. By default, no credential is stale.
    ///   - isRejected: Whether a response rejects the credential of its request. By default, one
    ///     with status 401 (RFC 9110, 15.5.2) does. For a stream, the data is empty.
    ///   - refresh: Returns the next credential, or nil if nobody is signed in. If it throws, the
    ///     requests waiting for it fail with its error, and the next request calls it again. A call
    ///     is never cancelled, because many refresh tokens can be used only once. If you pass no
    ///     saved credential, the closure is called before the first request. If it returns nil,
    ///     requests are sent without one. The first 401 calls it again, so that it can ask the user
    ///     to sign in.
    ///   - save: Saves a credential that `refresh` returned or the app set, or removes it if nil,
    ///     in the background. Calls are made one at a time, in the order of the changes, and skip a
    ///     credential that is no longer the current one. Requests wait until their credential is
    ///     saved. If `save` throws, they fail with its error, the credential stays, and the next
    ///     request calls `save` again. A request without a credential does not wait. ``value()``
    ///     throws if a sign-out could not be saved.
    public convenience init(
        _ credential: Credential? = nil, for urls: URL...,
        apply:
            @escaping @Sendable (_ credential: Credential, _ request: URLRequest) async throws
            -> URLRequest,
        isStale: @escaping @Sendable (_ credential: Credential) -> Bool = { _ in false },
        isRejected: @escaping @Sendable (_ data: Data, _ response: HTTPURLResponse) -> Bool = {
            $1.statusCode == 401
        },
        refresh: (@Sendable (_ rejection: Rejection) async throws -> Credential?)? = nil,
        save: (@Sendable (_ credential: Credential?) async throws -> Void)? = nil
    ) {
        self.init(
            credential,
            Configuration(
                urls: urls, apply: apply, isStale: isStale, isRejected: isRejected,
                refresh: refresh, save: save))
    }

    init(_ credential: Credential?, _ configuration: Configuration) {
        let urls = configuration.urls
        self.configuration = configuration
        origins = urls.isEmpty ? nil : Set(urls.filter { $0.host() != nil }.map(\.origin))
        let isKnown = credential != nil || configuration.refresh == nil
        state = Locked(State(credential: credential, isKnown: isKnown))
    }

    /// The credential that requests are sent with, or nil if nobody is signed in. Also nil until
    /// the first credential is obtained. To wait for that, use ``value()``.
    ///
    /// Set it when the user signs in, and set it to nil when the user signs out. The result of a
    /// refresh in progress is then ignored, and the requests waiting for the refresh continue
    /// immediately with the value that was set.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set {
            change(to: newValue)?.release()
            guard configuration.save != nil else { return }
            Task { try? await current(refreshes: false, waitsForSave: true) }
        }
    }

    /// Returns a credential that is valid now, for example for a WebSocket's header.
    ///
    /// If the credential is missing or stale, this function refreshes it, and shares the refresh
    /// with pending requests. The function then waits until the credential, or a sign-out, is
    /// saved.
    ///
    /// - Returns: The credential, or nil if nobody is signed in.
    /// - Throws: Any error thrown by `refresh` or `save`, or `URLError.cancelled` when the task is
    ///   cancelled.
    @discardableResult
    public func value() async throws -> Credential? {
        try await current(waitsForSave: true).credential
    }

    /// Refreshes the credential, even if it is neither stale nor rejected, and saves it. If a
    /// refresh is in progress, waits for that one.
    ///
    /// - Returns: The new credential, or nil if nobody is signed in.
    /// - Throws: Any error thrown by `refresh` or `save`, or `URLError.cancelled` when the task is
    ///   cancelled.
    @discardableResult
    public func refresh() async throws -> Credential? {
        let seen = state.withLock { $0 }
        let rejection = Rejection(
            credential: seen.credential, session: seen.session, generation: seen.generation)
        return try await current(after: rejection, waitsForSave: true).credential
    }
}

// The credential is in a closure, so that a dump of `credential` does not show it.
extension Credentials where Credential == Void {
    /// Returns a user name and a password (RFC 7617) as a credential that is never refreshed.
    ///
    ///     let session = URLSession.shared.authenticated(
    ///         by: .basic(user: "emma", password: password, for: baseURL))
    ///
    /// - Parameters:
    ///   - user: The user name, which must not contain a colon.
    ///   - password: The password, not encoded.
    ///   - urls: The origins that receive them, as for `Credentials`.
    public static func basic(user: String, password: String, for urls: URL...) -> Credentials {
        Credentials(
            (), Configuration(urls: urls) { try $1.authorization(user: user, password: password) })
    }

    /// Returns a bearer token (RFC 6750) that never changes.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - urls: The origins that receive the token, as for `Credentials`.
    public static func bearer(_ token: String, for urls: URL...) -> Credentials {
        Credentials((), Configuration(urls: urls) { try $1.authorization(bearer: token) })
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, without its value.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}

extension Credentials.Rejection: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// The response's status, without the credential.
    public var description: String { "Rejection (\(response?.statusCode.description ?? "none"))" }
}

extension APIRequestError {
    /// Whether the server refused a refresh token, an authorization code or a password for good:
    /// the JSON body contains the error `invalid_grant` (RFC 6749, section 5.2). The RFC requires
    /// status 400, but Auth0 sends 403. A `refresh` of ``Credentials`` should then return nil,
    /// which signs the user out.
    public var isInvalidGrant: Bool {
        struct Problem: Decodable { let error: String }
        return (try? decodeBody(Problem.self))?.error == "invalid_grant"
    }
}
