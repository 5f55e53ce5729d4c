import Foundation

/// Holds the credential of one user, for the servers it is meant for, and refreshes it once for all
/// requests that need it.
///
/// ```swift
/// let tokens = Credentials(TokenAuthenticator(refresh: refresh), for: baseURL, credential: saved)
/// let session = URLSession.shared.authenticated(by: tokens)
///
/// tokens.credential = token  // signed in
/// tokens.credential = nil    // signed out
/// ```
///
/// Make one and keep it: it is the single singleFlight, so chains that share it refresh once. Requests to
/// another origin (scheme, host, port) than those of its URLs are sent without a credential, and so
/// is every request as long as there is none.
public final class Credentials<A: Authenticator>: Sendable {
    private struct State {
        var current: CredentialState<A.Credential>
        var refresh: (generation: Int, singleFlight: SingleFlight<Void>)?
        var untold: [A.Credential?] = []
        var isTelling = false
    }

    /// Closures stay in a value of their own: see `Locked`.
    private struct Surroundings: Sendable {
        let origins: Set<[String]>
        let session: (any HTTPSession)?
        let now: @Sendable () -> Date
        let onChange: (@Sendable (A.Credential?) -> Void)?
    }

    private let authenticator: A
    private let surroundings: Surroundings
    private let state: Locked<State>

    /// Holds a credential.
    ///
    /// - Parameters:
    ///   - authenticator: How it is used and refreshed.
    ///   - baseURL: Whom it is for: only this origin gets it. A URL without a host is nobody.
    ///   - others: Who else may get it.
    ///   - credential: Nil when nobody is signed in yet.
    ///   - session: What the refresh is sent over: a session with another timeout or with a
    ///     retry. By default, the one inside ``AuthenticatedSession``, as the requests are. It may be
    ///     the very chain that the requests go over: the refresh then uses the place that they hold in
    ///     a limit, and a request that the refresh itself needs goes without the credential.
    ///   - now: The time that ``Authenticator/isStale(_:now:)`` gets.
    ///   - onChange: Gets each new credential, from a refresh or from the app, one after another in
    ///     their order, so that the last one told is the one to keep on disk. Called where the
    ///     change happens, in the background for a refresh; it must not wait for a request.
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
        surroundings = Surroundings(
            origins: Set(origins.filter { $0.host() != nil }.map(\.origin)), session: session,
            now: now, onChange: onChange)
        state = Locked(State(current: CredentialState(credential)))
    }

    /// What requests are sent with. Set it when the user signs in, and to nil when they sign out: a
    /// refresh that is under way then changes nothing, and requests that wait for it go on with
    /// what was set.
    public var credential: A.Credential? {
        get { state.withLock { $0.current.credential } }
        set {
            change { state in
                state.set(newValue)
                return true
            }
        }
    }

    /// Changes the credential, and tells of it outside the lock, yet in order.
    private func change(_ body: (inout CredentialState<A.Credential>) -> Bool) {
        let mustTell = state.withLock { state in
            guard body(&state.current), surroundings.onChange != nil else { return false }
            state.untold.append(state.current.credential)
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard mustTell else { return }
        while let credential = nextUntold() { surroundings.onChange?(credential) }
    }

    private func nextUntold() -> A.Credential?? {
        state.withLock { state in
            state.isTelling = !state.untold.isEmpty
            return state.isTelling ? .some(state.untold.removeFirst()) : nil
        }
    }
}

extension Credentials: CredentialSource {
    func covers(_ url: URL?) -> Bool {
        guard let url, !RefreshInProgress.holders.contains(ObjectIdentifier(self)) else {
            return false
        }
        return surroundings.origins.contains(url.origin)
    }

    func isRejection(_ data: Data, _ response: HTTPURLResponse) -> Bool {
        authenticator.rejects(data: data, response: response)
    }

    func authorize(
        _ request: URLRequest, afterRejected rejected: Int?, over next: any HTTPSession
    ) async throws -> AuthorizedRequest? {
        var current = state.withLock { $0.current }
        let now = surroundings.now()
        let step = current.step(afterRejected: rejected) { authenticator.isStale($0, now: now) }
        if case .refresh(let old) = step {
            switch join(old, current.generation, over: next) {
            case .joined(let handle): try await handle.value()
            case .over: break
            // The refresh waits for this very request, which therefore goes without a credential.
            case .circular: return nil
            }
            // Good or bad by its date, what there is now is tried once.
            current = state.withLock { $0.current }
        }
        guard let credential = current.credential else { return nil }
        return AuthorizedRequest(
            request: try authenticator.apply(credential, to: request),
            generation: current.generation)
    }

    func startRefresh(_ rejected: Int, over next: any HTTPSession) {
        let current = state.withLock { $0.current }
        if case .refresh(let old) = current.step(afterRejected: rejected, isStale: { _ in false }),
            case .joined(let handle) = join(old, rejected, over: next)
        {
            handle.giveUp()
        }
    }

    /// Joins the one refresh of this generation, which is started if need be; `.over` if there is
    /// another generation by now.
    ///
    /// Nobody cancels it: where each refresh token can be used once, a refresh that is cut short
    /// would sign the user out.
    private func join(_ old: A.Credential, _ generation: Int, over next: any HTTPSession)
        -> SingleFlight<Void>.Joining
    {
        let (joining, isNew) = state.withLock { state -> (SingleFlight<Void>.Joining, Bool) in
            guard state.current.generation == generation else { return (.over, false) }
            if let refresh = state.refresh, refresh.generation == generation {
                let joining = refresh.singleFlight.join()
                if case .over = joining {} else { return (joining, false) }
            }
            let handle = SingleFlight<Void>.joined(isCancelledWithLastWaiter: false)
            state.refresh = (generation, handle.singleFlight)
            return (.joined(handle), true)
        }
        if isNew, case .joined(let handle) = joining {
            let session = surroundings.session ?? next
            handle.singleFlight.start { [self] in try await refresh(old, generation, over: session)
            }
        }
        return joining
    }

    private func refresh(
        _ old: A.Credential, _ generation: Int, over session: any HTTPSession
    ) async throws {
        let loader = APIRequestLoader(
            apiRequest: authenticator.refresh,
            urlSession: OriginBoundSession(next: session, origins: surroundings.origins))
        let result: Result<A.Credential, APIRequestError> =
            await RefreshInProgress.$holders.withValue(
                RefreshInProgress.holders.union([ObjectIdentifier(self)])
            ) {
                do throws(APIRequestError) {
                    return .success(try await loader.load(old))
                } catch {
                    return .failure(error)
                }
            }
        switch result {
        case .success(let new): change { $0.replace(generation, with: new) }
        case .failure(let error):
            // Where somebody signed in meanwhile, the waiting requests go on with that.
            guard state.withLock({ $0.current.generation == generation }) else { return }
            throw AuthenticationError(underlying: error)
        }
    }
}

/// Whose refreshes this task makes: those of one that a refresh needs are in it too. Their requests go
/// without the credential that they are to renew.
private enum RefreshInProgress {
    @TaskLocal static var holders: Set<ObjectIdentifier> = []
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, and nothing of it.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}
