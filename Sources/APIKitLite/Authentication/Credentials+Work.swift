import Foundation

/// The work that ends before a request is sent with a credential: to load it, to refresh it, and to
/// save it.
extension Credentials {
    private struct Work {
        /// The generation of the credential that the work is for.
        var generation: Int
        let loads: Bool
        /// The credential to refresh.
        var old: A.Credential?
        let session: RefreshSession?
    }

    /// Returns the current credential as soon as it is loaded, fresh and saved.
    ///
    /// If a credential is stale although it was just refreshed, it is tried once.
    ///
    /// - Parameters:
    ///   - options: Those of the request that waits.
    ///   - rejected: The generation of the credential that the server rejected, or `nil`.
    ///   - next: The session that sends the refresh by default.
    /// - Returns: Nil if the work would wait for itself.
    func ready(
        for options: SendOptions, afterRejected rejected: Int? = nil,
        over next: (any HTTPSession)? = nil
    ) async throws -> State? {
        let id = ObjectIdentifier(self)
        guard RefreshWaits.begin(options.refreshing, for: id) else { return nil }
        defer { RefreshWaits.end(options.refreshing, for: id) }
        // Work that began earlier may have asked the app's store for the token of an earlier user.
        var turns = configuration.isSame == nil ? 1 : 2
        while let (handle, isNew) = join(
            afterRejected: rejected, isDue: turns > 0, over: next, places: options.places)
        {
            try await handle.value()
            turns = isNew ? 0 : turns - 1
        }
        return state.withLock { $0 }
    }

    /// Joins the work for the current credential, and starts it if there is none.
    ///
    /// Work is never cancelled. If a refresh token can be used only once, an incomplete refresh
    /// would sign the user out.
    ///
    /// - Parameters:
    ///   - rejected: The generation of the credential that the server rejected, or `nil`. The
    ///     rejection of an earlier generation does not affect the current credential.
    ///   - isDue: Whether to refresh a stale credential, and to ask the app's store.
    ///   - next: The session that sends the refresh by default.
    ///   - places: The limits in which the request that waits has a place.
    /// - Returns: Nil if the credential is ready.
    func join(
        afterRejected rejected: Int? = nil, isDue: Bool = false,
        over next: (any HTTPSession)? = nil, places: Set<ObjectIdentifier> = []
    ) -> (handle: SingleFlight<Void>.Handle, isNew: Bool)? {
        // The app's code is called outside the lock.
        let seen = state.withLock { $0 }
        let isUsedUp = rejected == seen.generation || (isDue && isStale(seen.credential))
        let (handle, work) = state.withLock { state -> (SingleFlight<Void>.Handle?, Work?) in
            let old = isUsedUp && state.generation == seen.generation ? state.credential : nil
            let loads = old == nil && (!state.isLoaded || (isDue && configuration.isSame != nil))
            guard old != nil || loads || !state.isSaved else { return (nil, nil) }
            if let work = state.work, work.generation == state.generation,
                let handle = work.flight.join()
            {
                return (handle, nil)
            }
            let handle = SingleFlight<Void>.joined(isCancelledWithLastWaiter: false)
            state.work = (state.generation, handle.singleFlight)
            let session = (configuration.session ?? next ?? state.session).map {
                RefreshSession(next: $0, refreshing: ObjectIdentifier(self), places: places)
            }
            return (
                handle,
                Work(generation: state.generation, loads: loads, old: old, session: session)
            )
        }
        guard let handle else { return nil }
        if let work {
            let flight = handle.singleFlight
            flight.start { [self] in
                try await RefreshWaits.$work.withValue((ObjectIdentifier(self), flight)) {
                    try await run(work)
                }
            }
        }
        return (handle, work != nil)
    }

    /// Loads, refreshes and saves the credential.
    ///
    /// - Throws: The error of a step, unless the app set another credential meanwhile: the waiting
    ///   requests then continue with that one.
    private func run(_ work: Work) async throws {
        var work = work
        do {
            if work.loads {
                let loaded = try await configuration.load?()
                guard replace(&work, with: loaded, isLoaded: true) else { return }
                work.old = isStale(loaded) ? loaded : nil
            }
            if let old = work.old { try await refresh(old, &work) }
            try await save()
        } catch {
            guard state.withLock({ $0.generation == work.generation }) else { return }
            throw error
        }
    }

    /// Refreshes a credential. If the authenticator says that the user must sign in again, signs the
    /// user out, unless the app set another credential meanwhile.
    private func refresh(_ old: A.Credential, _ work: inout Work) async throws {
        do {
            let new = try await refreshed(old, over: work.session)
            _ = replace(&work, with: new)
        } catch let error as AuthenticationError where error.requiresSignIn {
            // If this cannot be saved, the next request tries it again, and gets the error.
            if replace(&work, with: nil) { try? await save() }
            throw error
        }
    }

    private func refreshed(
        _ old: A.Credential, over session: RefreshSession?
    ) async throws -> A.Credential? {
        if let renew = configuration.renew { return try await renew(old) }
        do throws(APIRequestError) {
            guard let session else {
                throw APIRequestError(
                    stage: .makeRequest, underlying: NoRefreshError())
            }
            return try await session.load(authenticator.refresh, old)
        } catch {
            throw AuthenticationError(
                underlying: error, requiresSignIn: authenticator.requiresSignIn(after: error))
        }
    }

    /// Saves the current credential, unless it is saved.
    private func save() async throws {
        guard let save = configuration.save else { return }
        try await saving.wait()
        defer { saving.signal() }
        let current = state.withLock { $0 }
        guard !current.isSaved else { return }
        try await save(current.credential)
        state.withLock { state in
            if state.generation == current.generation { state.isSaved = true }
        }
    }

    private func isStale(_ credential: A.Credential?) -> Bool {
        credential.map { authenticator.isStale($0, now: configuration.now()) } ?? false
    }

    /// Stores a credential, unless the app set another one since the work began.
    private func replace(
        _ work: inout Work, with credential: A.Credential?, isLoaded: Bool = false
    ) -> Bool {
        state.withLock { state in
            guard state.generation == work.generation else { return false }
            // The rejection of a token also counts if the store was asked again meanwhile.
            if isLoaded, state.isLoaded, configuration.isSame?(credential, state.credential) == true
            {
                return true
            }
            state.set(credential, isSaved: isLoaded || configuration.save == nil)
            work.generation = state.generation
            // Requests that need the new credential wait until this work has saved it.
            state.work?.generation = work.generation
            return true
        }
    }
}

/// Marks each request as the refresh of a `Credentials` object.
private struct RefreshSession: SessionPolicy {
    let next: any HTTPSession
    let refreshing: ObjectIdentifier
    let places: Set<ObjectIdentifier>

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var options = options
        (options.refreshing, options.places) = (refreshing, places)
        options.redirects = .sameOrigin
        return try await next.send(request, awaiting: options)
    }
}
