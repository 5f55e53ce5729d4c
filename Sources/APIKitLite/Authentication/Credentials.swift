import Foundation

/// The credential of one user for certain origins. Concurrent requests share the work to get it.
///
/// ```swift
/// let tokens = Credentials(for: baseURL, credential: saved) { token, request in
///     try request.authorization(bearer: token.access)
/// } isStale: { token in
///     token.expires < .now
/// } refresh: { old, _, session in
///     guard let old else { return nil }  // nobody is signed in
///     let new = try await session.load(RefreshRequest(baseURL), old)
///     try await keychain.save(new)
///     return new
/// }
/// let session = URLSession.shared.authenticated(by: tokens)
///
/// tokens.credential = token  // signed in
/// tokens.credential = nil    // signed out
/// ```
///
/// Create one object and keep it. Chains that share the object share its work. A request to another
/// origin (scheme, host and port) than those of its URLs is sent without the credential. While
/// nobody is signed in, all requests are sent without one.
///
/// If the app has its own store, which refreshes the token, use
/// ``HTTPSession/authenticated(for:_:token:)`` instead.
public final class Credentials<Credential: Sendable>: Sendable {
    /// Gets a credential: see ``init(for:_:credential:apply:isStale:isRejected:refresh:)``.
    typealias Refresh =
        @Sendable (
            _ old: Credential?, _ rejection: HTTPURLResponse?, _ session: any HTTPSession
        ) async throws -> Credential?

    /// Adds a credential to a request.
    typealias Apply =
        @Sendable (_ credential: Credential, _ request: URLRequest) throws -> URLRequest

    struct State {
        private(set) var credential: Credential?
        /// The number of changes so far. It distinguishes a credential from an earlier one, even if
        /// both are equal. A call of the app's store without a rejection does not count.
        private(set) var generation = 0
        /// False until the first credential was got or set.
        private(set) var isKnown: Bool
        /// The latest work.
        var work: Work?

        mutating func set(_ new: Credential?, isChange: Bool = true) {
            (credential, isKnown) = (new, true)
            if isChange { generation += 1 }
        }
    }

    /// The values that never change.
    ///
    /// They are in a struct because a closure that a generic class stores directly is wrapped again
    /// at each read: see `Locked`.
    struct Configuration: Sendable {
        let origins: Set<[String]>
        /// Whether the app has its own store, which is asked before each request.
        let isAsked: Bool
        let apply: Apply
        let isStale: @Sendable (Credential) -> Bool
        let isRejected: @Sendable (Data, HTTPURLResponse) -> Bool
        let refresh: Refresh?
    }

    let configuration: Configuration
    let state: Locked<State>

    /// Creates the credential of one user.
    ///
    /// The `refresh` gets the first credential, the next one if the current one is stale, and the
    /// next one after a response has rejected it. Without a `refresh`, such as for an API key, the
    /// caller of a rejected request receives the response.
    ///
    /// - Parameters:
    ///   - baseURL: The origin that receives the credential. A URL without a host is ignored.
    ///   - others: Other origins that receive the credential.
    ///   - credential: The first credential; nil if `refresh` gets it, or if nobody is signed in.
    ///   - apply: Returns a request with the credential added, for example in a header or in the
    ///     query. If it throws, the request is not sent, and its caller receives the error.
    ///   - isStale: Whether the server would reject the credential, because it has expired. It is
    ///     then refreshed before a request is sent. By default, no credential is stale.
    ///   - isRejected: Whether a response rejects the credential of its request. By default, one
    ///     with status 401 (RFC 9110, 15.5.2) does. For a stream, the data is empty.
    ///   - refresh: Returns the next credential, after it has saved it, or nil: the user is then
    ///     signed out. If it throws, the requests that wait for it fail with its error, and the next
    ///     request calls it again. A call is never cancelled, because many refresh tokens can be
    ///     used only once. It has these arguments:
    ///       - `old`: The credential to replace; nil if there was none yet.
    ///       - `rejection`: The response that rejected it; nil if there is none.
    ///       - `session`: The session that the chain wraps with this credential. It adds the other
    ///         credentials of the chain to a request, such as an API key, but not this one. It
    ///         follows redirects within an origin only.
    public convenience init(
        for baseURL: URL, _ others: URL..., credential: Credential? = nil,
        apply:
            @escaping @Sendable (_ credential: Credential, _ request: URLRequest) throws
            -> URLRequest,
        isStale: @escaping @Sendable (_ credential: Credential) -> Bool = { _ in false },
        isRejected: @escaping @Sendable (_ data: Data, _ response: HTTPURLResponse) -> Bool = {
            $1.statusCode == 401
        },
        refresh:
            (
                @Sendable (
                    _ old: Credential?, _ rejection: HTTPURLResponse?, _ session: any HTTPSession
                ) async throws -> Credential?
            )? = nil
    ) {
        self.init(
            [baseURL] + others, credential, apply: apply, isStale: isStale, isRejected: isRejected,
            refresh: refresh)
    }

    init(
        _ urls: [URL], _ credential: Credential? = nil, isAsked: Bool = false,
        apply: @escaping Apply, isStale: @escaping @Sendable (Credential) -> Bool = { _ in false },
        isRejected: @escaping @Sendable (Data, HTTPURLResponse) -> Bool = { $1.statusCode == 401 },
        refresh: Refresh? = nil
    ) {
        configuration = Configuration(
            origins: Set(urls.filter { $0.host() != nil }.map(\.origin)), isAsked: isAsked,
            apply: apply, isStale: isStale, isRejected: isRejected, refresh: refresh)
        let isKnown = credential != nil || refresh == nil
        state = Locked(State(credential: credential, isKnown: isKnown))
    }

    /// The credential that requests are sent with, or nil if nobody is signed in. It is also nil
    /// until the first one is got: ``value(over:)`` waits for it.
    ///
    /// Set it when the user signs in, and set it to nil when the user signs out. The result of a
    /// refresh in progress is then ignored, and the requests that wait for it continue with the
    /// value that was set.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set { state.withLock { $0.set(newValue) } }
    }

    /// Returns a credential that a request could be sent with now, for example for the header of a
    /// WebSocket.
    ///
    /// If it is missing or stale, it is got as before a request, together with the requests that
    /// wait for it.
    ///
    /// - Returns: The credential, or nil if nobody is signed in.
    /// - Throws: The error of the `refresh`, or `URLError.cancelled` when the task is cancelled.
    public func value(over session: any HTTPSession) async throws -> Credential? {
        try await current(over: session).credential
    }
}

extension Credentials where Credential == String {
    /// Returns the credential of a user with a name and a password (RFC 7617). It has no refresh.
    ///
    ///     let session = URLSession.shared.authenticated(
    ///         by: .basic(user: "emma", password: password, for: baseURL))
    ///
    /// - Parameters:
    ///   - user: The user name, which must not contain a colon.
    ///   - password: The password, not encoded.
    ///   - baseURL: The origin that receives them. A URL without a host is ignored.
    ///   - others: Other origins that receive them.
    public static func basic(
        user: String, password: String, for baseURL: URL, _ others: URL...
    ) -> Credentials {
        Credentials([baseURL] + others, password) { password, request in
            try request.authorization(user: user, password: password)
        }
    }

    /// Returns a bearer token (RFC 6750) that never changes.
    ///
    ///     let session = URLSession.shared.authenticated(by: .bearer(token, for: baseURL))
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - baseURL: The origin that receives the token. A URL without a host is ignored.
    ///   - others: Other origins that receive the token.
    public static func bearer(_ token: String, for baseURL: URL, _ others: URL...) -> Credentials {
        Credentials([baseURL] + others, token) { try $1.authorization(bearer: $0) }
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, without its value.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}
