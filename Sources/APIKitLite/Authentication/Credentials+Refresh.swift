import Foundation

extension Credentials {
    /// The credential between two changes, with the calls to closures that are in progress for it.
    /// Each change creates a new version, and no request joins a call for an earlier version.
    struct Version {
        /// What provides a credential if there is none. Without a `load` closure, `load` means
        /// `refresh`. `rejection` means that `refresh` is called after a request is rejected, so
        /// that the closure can ask the user to sign in.
        enum Source: Comparable { case load, refresh, rejection, app }

        let credential: Credential?
        /// A number that distinguishes two versions with equal credentials.
        var number = 0
        var source = Source.load
        var isSaved = true
        /// The number of the last change that signed out or replaced a user: see ``userChanges``.
        var userLeftAt = 0
        /// The number of a change. Requests made before that change belong to an earlier user, and
        /// are not sent.
        var endsRequestsBefore = 0
        /// The calls to closures that are in progress.
        var calls: [CredentialCall: SingleFlight<Void>] = [:]
    }

    // MARK: A request

    /// Obtains, refreshes and saves the current credential, if necessary. Returns the request with
    /// the credential, and the rejection to report if a response rejects the credential. The
    /// rejection is nil if such a response would cause no refresh.
    func applied(
        to request: URLRequest, over session: any HTTPSession, _ context: SendContext,
        after rejection: Rejection?
    ) async throws -> (URLRequest, Rejection?) {
        // A request that a closure sends must not wait for that closure.
        if SharedWork.isRunning(for: self, saving) { return (request, nil) }
        let seen = try current(for: context)
        // A request that `apply` leaves unchanged, such as a sign-in, needs no saved or fresh
        // credential.
        if rejection == nil, let credential = seen.credential,
            !seen.isSaved || configuration.isStale(credential),
            let applied = try? await configuration.apply(credential, request),
            applied.isSame(as: request)
        {
            return (request, nil)
        }
        let ready = try await ready(for: context, over: session, after: rejection)
        var sent = request
        if let credential = ready.credential {
            sent = try await configuration.apply(credential, request)
            // The app may have set another credential in the meantime.
            _ = try current(for: context)
        }
        guard configuration.refresh != nil, ready.credential != nil || ready.source == .rejection
        else { return (sent, nil) }
        let next = Rejection(
            credential: ready.credential, request: sent, session: session, number: ready.number)
        return (sent, next)
    }

    // MARK: The app

    /// Returns the credential, refreshed if necessary, once it or a sign-out is saved. If `load`,
    /// `refresh` or `save` is the caller, returns nil.
    ///
    /// - Parameter isForced: Whether the credential is refreshed even if it is fresh.
    func value(isForced: Bool) async throws -> Credential? {
        if SharedWork.isRunning(for: self, saving) { return nil }
        let session = session.withLock { $0 }
        return try await ready(for: SendContext(), over: session, isForced: isForced).credential
    }

    /// Makes a credential the current one. A refresh itself saves the credential that it returned.
    /// Any other unsaved credential, or a sign-out, is saved in the background.
    ///
    /// - Parameters:
    ///   - replaced: The version to replace. If another version is the current one, nothing
    ///     changes. Pass nil if the app, or `save`, sets the credential.
    ///   - source: What provides a missing credential from now on. If the old version has a greater
    ///     source, that source is kept.
    ///   - isSaved: Whether the credential comes from `load` or `save`.
    /// - Returns: The new version, or nil if nothing changed.
    @discardableResult
    func change(
        to new: Credential?, replacing replaced: Version? = nil, source: Version.Source = .app,
        isSaved: Bool = false
    ) -> Version? {
        let (old, changed) = current.withLock { version -> (Version, Version?) in
            let old = version
            guard replaced == nil || replaced?.number == old.number else { return (old, nil) }
            let isSet = replaced == nil && !isSaved
            let isUnchanged = !isSet && old.isSaved && old.credential == nil && new == nil
            version = Version(
                credential: new, number: old.number + 1, source: max(old.source, source),
                isSaved: isSaved || isUnchanged || configuration.save == nil,
                userLeftAt: old.userLeftAt, endsRequestsBefore: old.endsRequestsBefore)
            // A signed-out user's request is not sent with the next user's credential. A request
            // made while nobody was signed in may be sent with that credential.
            if new == nil ? isSet || old.credential != nil : isSet && old.credential != nil {
                version.userLeftAt = userChanges.next()
            }
            if isSet || new != nil { version.endsRequestsBefore = version.userLeftAt }
            return (old, version)
        }
        // A refresh does not release its own call, which still has to save the credential or throw.
        if replaced == nil { for call in old.calls.values { call.release() } }
        if replaced == nil || (new == nil && changed != nil) { saveInBackground() }
        return changed
    }

    // MARK: The steps

    /// Returns the current version. Throws if the context belongs to an earlier user's request.
    private func current(for context: SendContext) throws -> Version {
        let version = current.withLock { $0 }
        guard context.madeAt ?? .max >= version.endsRequestsBefore else {
            throw TransportError.credentialChanged
        }
        return version
    }

    /// Obtains a missing credential from `load` or `refresh`. Then refreshes the credential at most
    /// once, if it is stale or rejected, or if `isForced` is true and `refresh` was not just
    /// called. The refreshed credential is used even if it is stale.
    ///
    /// - Parameters:
    ///   - context: The request's context. Without `madeAt`, the app, not a request, is the caller.
    ///   - isForced: Whether the credential is refreshed even if it is fresh.
    private func ready(
        for context: SendContext, over session: any HTTPSession, after rejection: Rejection? = nil,
        isForced: Bool = false
    ) async throws -> Version {
        let first = try current(for: context)
        if first.credential == nil, first.source == .load, let load = configuration.load {
            try await run(.load, for: first, context) { [self] in
                change(to: try await load(), replacing: first, source: .refresh, isSaved: true)
            }
        }
        // A refresh sends the credential, or reads it from the app's store, so the credential must
        // be saved first.
        let old = try await saved(for: context)
        var version = old
        if old.credential == nil, old.source <= .refresh || context.madeAt == nil {
            version = try await replaced(old, context, over: session)
        }
        let rejected = rejection?.number == version.number ? rejection : nil
        let isWanted = isForced && version.number == old.number
        guard rejected != nil || isWanted || version.credential.map(configuration.isStale) == true
        else { return version }
        return try await replaced(version, context, over: session, after: rejected)
    }

    private func replaced(
        _ version: Version, _ context: SendContext, over session: any HTTPSession,
        after rejection: Rejection? = nil
    ) async throws -> Version {
        guard let refresh = configuration.refresh else { return version }
        let rejected = rejection ?? Rejection(credential: version.credential, session: session)
        let isFirst = version.credential == nil && rejection == nil
        try await run(.refresh, for: version, context) { [self] in
            let source = isFirst ? Version.Source.rejection : .app
            let new: Version?
            do {
                new = change(to: try await refresh(rejected), replacing: version, source: source)
            } catch let error as SignOutError {
                change(to: nil, replacing: version)
                throw error.underlying
            }
            // The save is part of this call, so the requests that share the call do not repeat a
            // failed save.
            guard let new, new.credential != nil, !new.isSaved else { return }
            do { try await save(new) } catch { throw SaveError(underlying: error) }
        }
        return try await saved(for: context)
    }

    /// Returns the current version as soon as it is saved. A request does not wait for the save of
    /// a sign-out.
    private func saved(for context: SendContext) async throws -> Version {
        while true {
            let version = try current(for: context)
            if version.isSaved { return version }
            if version.credential == nil, context.madeAt != nil {
                saveInBackground()
                return version
            }
            try await save(version, context)
        }
    }

    private func saveInBackground() {
        if current.withLock({ !$0.isSaved }) { Task { _ = try? await saved(for: SendContext()) } }
    }

    /// Saves a version, unless it is already saved or is no longer the current one. Only one save
    /// runs at a time, so credentials are saved in the order of the changes.
    private func save(_ version: Version, _ context: SendContext = SendContext()) async throws {
        try await run(.save, for: version, context) { [self] in
            try await saving.wait()
            defer { saving.signal() }
            guard current.withLock({ $0.number == version.number && !$0.isSaved }) else { return }
            try await configuration.save?(version.credential)
            current.withLock { if $0.number == version.number { $0.isSaved = true } }
        }
    }

    /// Waits for a call to a closure, and starts the call if it is not in progress. If another
    /// version has become the current one, does nothing.
    ///
    /// The call is never cancelled. If a refresh token can be used only once, an incomplete refresh
    /// would sign the user out.
    private func run(
        _ call: CredentialCall, for version: Version, _ context: SendContext,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let handle = current.withLock { current in
            current.number == version.number ? SingleFlight.join(&current.calls[call]) : nil
        }
        do { try await handle?.value(for: call == .save ? saving : self, work) } catch {
            let saveError = error as? SaveError
            context.didFail?(saveError == nil ? call : .save)
            throw saveError?.underlying ?? error
        }
    }
}

/// The error of a save that is part of a refresh.
private struct SaveError: Error { let underlying: any Error }
