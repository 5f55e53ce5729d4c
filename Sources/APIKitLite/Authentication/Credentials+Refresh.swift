import Foundation

/// The calls to `refresh` and `save` that the current task is part of, with the `Credentials` that
/// made them. A request that such a closure sends over the authenticated session must not wait for
/// these calls.
enum CredentialWork {
    @TaskLocal static var calls: [(owner: ObjectIdentifier, flight: SingleFlight<Void>)] = []
}

extension Credentials {
    /// The credential of one request.
    struct Current {
        var credential: Credential?
        /// Nil if the request is always sent without the credential.
        var generation: Int?
        /// Whether the request has waited for a refresh.
        var isRefreshed = false
    }

    /// A call to `refresh` or `save`. `isRefresh` is nil for `save`, and false for the first
    /// credential.
    typealias Step = (isRefresh: Bool?, call: @Sendable () async throws -> Void)

    /// A step for one generation of the credential.
    typealias Work = (generation: Int, isRefresh: Bool?, flight: SingleFlight<Void>)

    /// Returns a request with the current credential, as soon as it is known, fresh and saved.
    func applied(
        to request: URLRequest, _ context: SendContext, after rejection: Rejection? = nil
    ) async throws -> (Current, URLRequest) {
        let seen = state.withLock { $0 }
        // A request that needs no credential, such as a sign-in, does not wait for one.
        if rejection == nil, !configuration.isAsked, let credential = seen.credential,
            step(seen) != nil, let applied = try? await configuration.apply(credential, request),
            applied.isSame(as: request)
        {
            return (Current(), request)
        }
        while true {
            let current = try await current(after: rejection, context)
            guard let credential = current.credential else { return (current, request) }
            let applied = try await configuration.apply(credential, request)
            // Another credential may have been set in the meantime.
            if state.withLock({ $0.generation == current.generation }) { return (current, applied) }
        }
    }

    /// Returns the current credential as soon as it is known, fresh and saved.
    ///
    /// If a newly obtained credential is already stale, it is sent once anyway. Requests sent by
    /// `refresh` or `save` carry no credential.
    ///
    /// - Parameters:
    ///   - rejection: The credential that must be replaced, if it is still the current one.
    ///   - refreshes: Whether a stale credential is refreshed. If not, this function only waits
    ///     until the credential is saved.
    ///   - waitsForSave: Whether this function also waits until a sign-out is saved.
    ///   - context: The request's context, which learns which closure threw.
    @discardableResult
    func current(
        after rejection: Rejection? = nil, refreshes: Bool = true, waitsForSave: Bool = false,
        _ context: SendContext? = nil
    ) async throws -> Current {
        let id = ObjectIdentifier(self)
        if refreshes, CredentialWork.calls.contains(where: { $0.owner == id && !$0.flight.isOver })
        {
            return Current()
        }
        // A call to the app's store that began before this request may return an earlier user's
        // token. The request therefore waits for that call and the next one.
        var callsLeft = !refreshes ? 0 : configuration.isAsked && rejection == nil ? 2 : 1
        let wasKnown = state.withLock { $0.isKnown }
        var isRefreshed = false
        while true {
            let seen = state.withLock { $0 }
            let current = Current(
                credential: seen.credential, generation: seen.generation, isRefreshed: isRefreshed)
            guard let step = step(seen, after: rejection, mayStart: callsLeft > 0) else {
                return current
            }
            guard let (handle, isRefresh, isNew) = join(seen, step) else { continue }
            if step.isRefresh == nil, seen.credential == nil, !waitsForSave {
                handle.giveUp()
                return current
            }
            do {
                try await handle.value()
            } catch {
                // A refresh also saves the credential that it returned.
                let isSave = isRefresh == nil || !state.withLock { $0.isSaved }
                context?.didFail?(isSave ? .save : .refresh)
                throw error
            }
            // The first credential may be stale.
            guard let isRefresh, isRefresh || configuration.isAsked else { continue }
            callsLeft = isNew ? 0 : callsLeft - 1
            isRefreshed = isRefreshed || (isRefresh && wasKnown)
        }
    }

    /// Makes a credential the current one, and returns the work for the earlier one.
    ///
    /// - Parameter rejection: The argument of the `refresh` call that returned the credential. If
    ///   another credential has been set since, nothing happens.
    @discardableResult
    func change(to new: Credential?, after rejection: Rejection? = nil) -> SingleFlight<Void>? {
        state.withLock { state in
            let (isSet, isAsked) = (rejection == nil, configuration.isAsked)
            guard isSet || rejection?.generation == state.generation else { return nil }
            let isMissing = !isSet && new == nil && state.credential == nil
            let isSaved = configuration.save == nil || (isMissing && state.isSaved)
            let isRejected = rejection?.credential != nil || rejection?.response != nil
            if isSet || isRejected || (new != nil && !isAsked) { state.generation += 1 }
            if isSaved { state.savedGeneration = state.generation }
            (state.credential, state.isKnown) = (new, true)
            return state.work?.flight
        }
    }

    /// Returns what must be done before the credential can be sent, or nil if it is ready.
    ///
    /// The rejection of an earlier generation does not affect the current one.
    private func step(
        _ seen: State, after rejection: Rejection? = nil, mayStart: Bool = true
    ) -> Step? {
        if !seen.isSaved { return (nil, { try await self.save(seen.generation) }) }
        guard let refresh = configuration.refresh else { return nil }
        var replaced = Rejection(session: seen.session, generation: seen.generation)
        if let rejection, rejection.generation == seen.generation {
            replaced = rejection
        } else if seen.isKnown, !mayStart || !configuration.isAsked {
            guard mayStart, let old = seen.credential, configuration.isStale(old) else {
                return nil
            }
            replaced.credential = old
        }
        return (
            replaced.credential != nil,
            { [replaced] in
                self.change(to: try await refresh(replaced), after: replaced)
                try await self.current(refreshes: false)
            }
        )
    }

    /// Joins the work for the current credential, and starts it if there is none. Returns nil if
    /// the credential has changed since it was seen.
    ///
    /// The work is never cancelled. If a refresh token can be used only once, an incomplete refresh
    /// would sign the user out.
    private func join(
        _ seen: State, _ step: Step
    ) -> (handle: SingleFlight<Void>.Handle, isRefresh: Bool?, isNew: Bool)? {
        let joined = state.withLock { state -> (SingleFlight<Void>.Handle, Bool?, isNew: Bool)? in
            guard state.generation == seen.generation else { return nil }
            if let work = state.work, work.generation == seen.generation,
                let handle = work.flight.join()
            {
                return (handle, work.isRefresh, false)
            }
            let handle = SingleFlight<Void>.joined(isCancelledWithLastTask: false)
            state.work = (seen.generation, step.isRefresh, handle.singleFlight)
            return (handle, step.isRefresh, true)
        }
        guard let joined, joined.isNew else { return joined }
        let call = (owner: ObjectIdentifier(self), flight: joined.0.singleFlight)
        call.flight.start {
            try await CredentialWork.$calls.withValue(CredentialWork.calls + [call]) {
                try await step.call()
            }
        }
        return joined
    }

    /// Waits its turn, then saves a credential if it is still the current one.
    private func save(_ generation: Int) async throws {
        try await saving.wait()
        defer { saving.signal() }
        let seen = state.withLock { $0 }
        // A request may ask for a save that has just ended.
        guard seen.generation == generation, !seen.isSaved, let save = configuration.save else {
            return
        }
        try await save(seen.credential)
        state.withLock { if $0.generation == generation { $0.savedGeneration = generation } }
    }
}
