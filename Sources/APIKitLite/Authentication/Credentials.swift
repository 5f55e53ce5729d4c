import Foundation

/// The credential of one user for certain origins, with a refresh that concurrent requests share.
///
/// ```swift
/// let tokens = Credentials(
///     TokenAuthenticator(refresh: refresh), for: baseURL, credential: saved)
/// let session = URLSession.shared.authenticated(by: tokens)
///
/// tokens.credential = token  // signed in
/// tokens.credential = nil    // signed out
/// ```
///
/// Create one object and keep it. It owns the single flight of the refresh, so chains that share
/// the object share the refresh. A request to another origin (scheme, host and port) than those of
/// its URLs is sent without the credential. While ``credential`` is `nil`, all requests are sent
/// without one.
public final class Credentials<A: Authenticator>: Sendable {
    private struct State {
        var current: Current
        /// The latest refresh, and the generation of the credential that it replaces.
        var refresh: (generation: Int, singleFlight: SingleFlight<Void>)?
        /// The changes that `onChange` has yet to receive, oldest first.
        var unreported: [A.Credential?] = []
        /// Whether a caller of `change(_:)` is reporting changes.
        var isReporting = false
    }

    /// The credential and the number of its changes, which make every decision about it.
    private struct Current {
        private(set) var credential: A.Credential?
        /// The number of changes so far. It distinguishes a credential from an earlier one, even if
        /// both are equal.
        private(set) var generation = 0

        init(_ credential: A.Credential?) {
            self.credential = credential
        }

        mutating func set(_ credential: A.Credential?) {
            self.credential = credential
            generation += 1
        }

        /// Returns the credential if a request must wait until it is refreshed, otherwise nil.
        ///
        /// - Parameters:
        ///   - rejected: The generation of the credential that the server rejected, or `nil`. The
        ///     rejection of an earlier generation does not affect the current credential.
        ///   - isStale: Whether the current credential must be refreshed before it is used.
        func toRefresh(
            afterRejected rejected: Int?, isStale: (A.Credential) -> Bool
        ) -> A.Credential? {
            credential.flatMap { rejected == generation || isStale($0) ? $0 : nil }
        }

        /// Stores the credential that a refresh returned, unless the credential was changed
        /// meanwhile.
        mutating func replace(_ refreshed: Int, with credential: A.Credential) -> Bool {
            guard refreshed == generation else { return false }
            set(credential)
            return true
        }
    }

    /// The values that never change.
    ///
    /// They are in a struct because a closure that a generic class stores directly is wrapped again
    /// at each read: see `Locked`.
    private struct Configuration: Sendable {
        let origins: Set<[String]>
        let session: (any HTTPSession)?
        let now: @Sendable () -> Date
        let onChange: (@Sendable (A.Credential?) -> Void)?
    }

    private let authenticator: A
    private let configuration: Configuration
    private let state: Locked<State>

    /// Creates the credentials of one user.
    ///
    /// - Parameters:
    ///   - authenticator: The description of how the credential is used and refreshed.
    ///   - baseURL: The origin that receives the credential. A URL without a host is ignored.
    ///   - others: Other origins that receive the credential.
    ///   - credential: The first credential, or `nil` if nobody is signed in yet.
    ///   - session: The session that sends the refresh, for example one with another timeout or
    ///     with a retry. By default, it is the session on which `authenticated(by:)` is called. It
    ///     may be the same chain that the requests use. The refresh is sent without this
    ///     credential, and with those of other `Credentials` in the chain. A redirect of it to
    ///     another origin is refused.
    ///   - now: Returns the current time for ``Authenticator/isStale(_:now:)``.
    ///   - onChange: Receives each change of the credential, from a refresh or from the app. Calls
    ///     never overlap and keep the order of the changes, so the last value is the one to store.
    ///     The code that changes the credential makes the call, for a refresh in the background. If
    ///     changes are concurrent, one of them reports all. The closure must not wait for a
    ///     request.
    public convenience init(
        _ authenticator: A, for baseURL: URL, _ others: URL..., credential: A.Credential? = nil,
        refreshingOver session: (any HTTPSession)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        onChange: (@Sendable (A.Credential?) -> Void)? = nil
    ) {
        self.init(
            authenticator, origins: [baseURL] + others, credential, session: session, now: now,
            onChange: onChange)
    }

    init(
        _ authenticator: A, origins: [URL], _ credential: A.Credential?,
        session: (any HTTPSession)? = nil, now: @escaping @Sendable () -> Date = { Date() },
        onChange: (@Sendable (A.Credential?) -> Void)? = nil
    ) {
        self.authenticator = authenticator
        configuration = Configuration(
            origins: Set(origins.filter { $0.host() != nil }.map(\.origin)), session: session,
            now: now, onChange: onChange)
        state = Locked(State(current: Current(credential)))
    }

    /// The credential that requests are sent with, or `nil` if nobody is signed in.
    ///
    /// Set it when the user signs in, and set it to `nil` when the user signs out. The result of a
    /// refresh in progress is then ignored, and the requests that wait for the refresh continue
    /// with the value that was set.
    public var credential: A.Credential? {
        get { state.withLock { $0.current.credential } }
        set {
            change { state in
                state.set(newValue)
                return true
            }
        }
    }

    /// Changes the credential, and reports the changes outside the lock, in their order.
    private func change(_ body: (inout Current) -> Bool) {
        let mustReport = state.withLock { state in
            guard body(&state.current), configuration.onChange != nil else { return false }
            state.unreported.append(state.current.credential)
            defer { state.isReporting = true }
            return !state.isReporting
        }
        guard mustReport else { return }
        while let credential = nextUnreported() { configuration.onChange?(credential) }
    }

    private func nextUnreported() -> A.Credential?? {
        state.withLock { state in
            state.isReporting = !state.unreported.isEmpty
            return state.isReporting ? .some(state.unreported.removeFirst()) : nil
        }
    }
}

extension Credentials {
    func covers(_ url: URL?) -> Bool {
        url.map { configuration.origins.contains($0.origin) } ?? false
    }

    func isRejection(_ data: Data, _ response: HTTPURLResponse) -> Bool {
        authenticator.rejects(data: data, response: response)
    }

    /// Returns the request with the current credential, which is refreshed first if it is stale or
    /// rejected.
    ///
    /// - Parameters:
    ///   - request: The request, without a credential.
    ///   - options: Which credentials the request itself refreshes.
    ///   - rejected: The generation of the credential that the server rejected, or `nil`.
    ///   - next: The session that sends the refresh by default.
    /// - Returns: The request and the generation of its credential; `nil` if there is no
    ///   credential, or if its refresh waits for this request.
    /// - Throws: ``AuthenticationError`` when the refresh fails, `URLError.cancelled` when the task
    ///   is cancelled, or the error of ``Authenticator/apply(_:to:)``.
    func authorize(
        _ request: URLRequest, _ options: SendOptions, afterRejected rejected: Int?,
        over next: any HTTPSession
    ) async throws -> (request: URLRequest, generation: Int)? {
        let id = ObjectIdentifier(self)
        guard RefreshWaits.begin(options.refreshing, for: id) else { return nil }
        defer { RefreshWaits.end(options.refreshing, for: id) }
        var current = state.withLock { $0.current }
        let now = configuration.now()
        let old = current.toRefresh(afterRejected: rejected) { authenticator.isStale($0, now: now) }
        if let old {
            try await join(old, current.generation, over: next)?.value()
            // The current credential is tried once, even if it is stale.
            current = state.withLock { $0.current }
        }
        guard let credential = current.credential else { return nil }
        return (try authenticator.apply(credential, to: request), current.generation)
    }

    /// Starts the refresh of a rejected credential for later requests, without waiting for it.
    func startRefresh(_ rejected: Int, over next: any HTTPSession) {
        let current = state.withLock { $0.current }
        if let old = current.toRefresh(afterRejected: rejected, isStale: { _ in false }),
            let handle = join(old, rejected, over: next)
        {
            handle.giveUp()
        }
    }

    /// Joins the refresh of a generation, and starts it if there is none.
    ///
    /// A refresh is never cancelled. If a refresh token can be used only once, an incomplete
    /// refresh would sign the user out.
    ///
    /// - Returns: Nil if the credential has another generation by now.
    private func join(
        _ old: A.Credential, _ generation: Int, over next: any HTTPSession
    ) -> SingleFlight<Void>.Handle? {
        let (handle, isNew) = state.withLock { state -> (SingleFlight<Void>.Handle?, Bool) in
            guard state.current.generation == generation else { return (nil, false) }
            if let refresh = state.refresh, refresh.generation == generation,
                let handle = refresh.singleFlight.join()
            {
                return (handle, false)
            }
            let handle = SingleFlight<Void>.joined(isCancelledWithLastWaiter: false)
            state.refresh = (generation, handle.singleFlight)
            return (handle, true)
        }
        if isNew {
            let session = configuration.session ?? next
            handle?.singleFlight.start { [self] in
                try await refresh(old, generation, over: session)
            }
        }
        return handle
    }

    /// Sends the refresh, and stores the credential that it returns.
    ///
    /// - Throws: ``AuthenticationError`` when the refresh fails, unless the credential was changed
    ///   meanwhile.
    private func refresh(
        _ old: A.Credential, _ generation: Int, over session: any HTTPSession
    ) async throws {
        do throws(APIRequestError) {
            let session = RefreshSession(next: session, refreshing: ObjectIdentifier(self))
            let new = try await session.load(authenticator.refresh, old)
            change { $0.replace(generation, with: new) }
        } catch {
            // If the app set another credential meanwhile, the waiting requests continue with it.
            guard state.withLock({ $0.current.generation == generation }) else { return }
            throw AuthenticationError(underlying: error)
        }
    }
}

/// Marks each request as the refresh of a `Credentials` object.
private struct RefreshSession: SessionPolicy {
    let next: any HTTPSession
    let refreshing: ObjectIdentifier

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var options = options
        options.refreshing = refreshing
        return try await next.send(request, awaiting: options)
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, without its value.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}
