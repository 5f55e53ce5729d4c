import Foundation

/// The credential of one user for certain origins. Concurrent requests share the work for it.
///
/// ```swift
/// let tokens = Credentials(
///     TokenAuthenticator(refresh: refresh), for: baseURL,
///     load: { try await keychain.token() }, save: { try await keychain.store($0) })
/// let session = URLSession.shared.authenticated(by: tokens)
///
/// tokens.credential = token  // signed in
/// tokens.credential = nil    // signed out
/// ```
///
/// Create one object and keep it. It loads, refreshes and saves the credential once for all
/// requests that need it, so chains that share the object share this work. A request to another
/// origin (scheme, host and port) than those of its URLs is sent without the credential. While
/// nobody is signed in, all requests are sent without one.
///
/// If the app has its own store, which refreshes the token, use
/// ``HTTPSession/authenticated(for:_:token:)`` instead.
public final class Credentials<A: Authenticator>: Sendable {
    struct State {
        private(set) var credential: A.Credential?
        /// The number of changes so far. It distinguishes a credential from an earlier one, even if
        /// both are equal.
        private(set) var generation = 0
        /// False until the first credential was loaded or set.
        private(set) var isLoaded: Bool
        var isSaved = true
        /// The latest work, and the generation of the credential that it prepares.
        var work: (generation: Int, flight: SingleFlight<Void>)?
        /// The session inside the first chain, for a refresh that no request needs.
        var session: (any HTTPSession)?

        init(_ credential: A.Credential?, isLoaded: Bool) {
            (self.credential, self.isLoaded) = (credential, isLoaded)
        }

        mutating func set(_ credential: A.Credential?, isSaved: Bool) {
            (self.credential, self.isSaved, isLoaded) = (credential, isSaved, true)
            generation += 1
        }
    }

    /// The values that never change.
    ///
    /// They are in a struct because a closure that a generic class stores directly is wrapped again
    /// at each read: see `Locked`.
    struct Configuration: Sendable {
        let origins: Set<[String]>
        var session: (any HTTPSession)?
        var now: @Sendable () -> Date = { Date() }
        var load: (@Sendable () async throws -> A.Credential?)?
        var save: (@Sendable (A.Credential?) async throws -> Void)?
        /// Refreshes a credential without the authenticator.
        var renew: (@Sendable (A.Credential) async throws -> A.Credential?)?
        /// Compares two credentials. If it is set, the app has its own store: the credential is
        /// loaded before each request.
        var isSame: (@Sendable (A.Credential?, A.Credential?) -> Bool)?

        init(origins: [URL]) {
            self.origins = Set(origins.filter { $0.host() != nil }.map(\.origin))
        }
    }

    let authenticator: A
    let configuration: Configuration
    let state: Locked<State>
    /// One save at a time, so that the latest credential is the last one to be saved.
    let saving = AsyncSemaphore(1)

    /// Creates the credentials of one user.
    ///
    /// - Parameters:
    ///   - authenticator: The description of how the credential is used and refreshed.
    ///   - baseURL: The origin that receives the credential. A URL without a host is ignored.
    ///   - others: Other origins that receive the credential.
    ///   - credential: The first credential, or `nil` if it must be loaded, or if nobody is signed
    ///     in.
    ///   - session: The session that sends the refresh, for example one with another timeout or
    ///     with a retry. By default, it is the session on which `authenticated(by:)` is called. It
    ///     may be the same chain that the requests use. The refresh is sent without this
    ///     credential, and with those of other `Credentials` in the chain. A redirect of it to
    ///     another origin is refused.
    ///   - now: Returns the current time for ``Authenticator/isStale(_:now:)``.
    ///   - load: Returns the first credential, for example from the keychain or by signing in, or
    ///     `nil` if nobody is signed in. It is called when the first request needs the credential,
    ///     and not again after it has returned. If it throws, the requests that wait for it fail
    ///     with its error.
    ///   - save: Saves a credential: one that a refresh returned, or one that the app has set. `nil`
    ///     means that the user has signed out. No request is sent with the credential before. Calls
    ///     never overlap. If it throws, the requests that wait for it fail with its error, and the
    ///     next request calls it again.
    public convenience init(
        _ authenticator: A, for baseURL: URL, _ others: URL..., credential: A.Credential? = nil,
        refreshingOver session: (any HTTPSession)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        load: (@Sendable () async throws -> A.Credential?)? = nil,
        save: (@Sendable (A.Credential?) async throws -> Void)? = nil
    ) {
        var configuration = Configuration(origins: [baseURL] + others)
        (configuration.session, configuration.now) = (session, now)
        (configuration.load, configuration.save) = (load, save)
        self.init(authenticator, credential, configuration)
    }

    init(_ authenticator: A, _ credential: A.Credential?, _ configuration: Configuration) {
        self.authenticator = authenticator
        self.configuration = configuration
        state = Locked(
            State(credential, isLoaded: credential != nil || configuration.load == nil))
    }

    /// The credential that requests are sent with, or `nil` if nobody is signed in. It is also
    /// `nil` until it is loaded: ``value()`` waits for it.
    ///
    /// Set it when the user signs in, and set it to `nil` when the user signs out. The value is
    /// then saved in the background. To wait for that, call ``value()``. The result of a load or a
    /// refresh in progress is ignored, and the requests that wait for it continue with the value
    /// that was set.
    public var credential: A.Credential? {
        get { state.withLock { $0.credential } }
        set {
            state.withLock { $0.set(newValue, isSaved: configuration.save == nil) }
            if configuration.save != nil { join()?.handle.giveUp() }
        }
    }

    /// Returns a credential that a request could be sent with now, for example for the header of a
    /// WebSocket.
    ///
    /// The credential is loaded, refreshed and saved as before a request, together with the requests
    /// that wait for it. If nothing of this is necessary, returns immediately. A refresh is sent
    /// over the session of `refreshingOver:`, or else over the one on which `authenticated(by:)`
    /// was called first.
    ///
    /// - Returns: The credential, or `nil` if nobody is signed in.
    /// - Throws: The error of `load` or `save`, ``AuthenticationError`` when the refresh fails, or
    ///   `URLError.cancelled` when the task is cancelled.
    public func value() async throws -> A.Credential? {
        var options = SendOptions.body
        options.refreshing = RefreshWaits.current
        return try await ready(for: options)?.credential ?? credential
    }
}

extension Credentials {
    func covers(_ url: URL?) -> Bool {
        url.map { configuration.origins.contains($0.origin) } ?? false
    }

    /// Why a URL of the right host is not covered.
    func hint(for url: URL?) -> String? {
        guard let other = url?.origin, !configuration.origins.contains(other),
            let own = configuration.origins.first(where: { $0[1] == other[1] })
        else { return nil }
        return "The credential was not sent: it belongs to \(own[0])://\(own[1]):\(own[2]), and "
            + "the request goes to \(other[0])://\(other[1]):\(other[2])."
    }

    /// Returns the request with the current credential, as soon as that is ready.
    ///
    /// - Parameters:
    ///   - request: The request, without a credential.
    ///   - options: Which credentials the request itself refreshes.
    ///   - rejected: The generation of the credential that the server rejected, or `nil`.
    ///   - next: The session that sends the refresh by default.
    /// - Returns: The request and the generation of its credential; `nil` if there is no
    ///   credential, or if its refresh waits for this request.
    /// - Throws: The errors of `value()`, or the error of ``Authenticator/apply(_:to:)``.
    func authorize(
        _ request: URLRequest, _ options: SendOptions, afterRejected rejected: Int?,
        over next: any HTTPSession
    ) async throws -> (request: URLRequest, generation: Int)? {
        guard
            let current = try await ready(
                for: options, afterRejected: rejected, over: next),
            let credential = current.credential
        else { return nil }
        return (try authenticator.apply(credential, to: request), current.generation)
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, without its value.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}
