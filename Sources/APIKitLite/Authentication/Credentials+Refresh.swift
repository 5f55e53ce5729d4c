import Foundation

/// The calls of a `refresh` closure that the code which runs now is a part of. A request of the
/// closure over the authenticated session must not wait for them.
enum CredentialWork {
    @TaskLocal static var flights: [SingleFlight<Void>] = []
}

extension Credentials {
    /// The credential of one request.
    struct Current {
        let credential: Credential?
        let generation: Int
        /// Whether the request has waited for a refresh.
        var isRefreshed = false
    }

    /// The credential of a request, and the response that rejected it.
    typealias Rejection = (current: Current, response: HTTPURLResponse)

    /// A call of the `refresh` closure, for one generation of the credential.
    typealias Work = (generation: Int, isRefresh: Bool, flight: SingleFlight<Void>)

    /// Returns the current credential as soon as it is known and fresh.
    ///
    /// A credential that is stale although it was just got is tried once. A request of the `refresh`
    /// closure itself gets none.
    func current(
        after rejection: Rejection? = nil, over session: any HTTPSession
    ) async throws -> Current {
        // A call of the app's store that began before this request may return the token of an
        // earlier user. So the request waits for that call, and for the next one.
        var turns = configuration.isAsked && rejection == nil ? 2 : 1
        var isRefreshed = false
        while true {
            let seen = state.withLock { $0 }
            if CredentialWork.flights.contains(where: { $0 === seen.work?.flight && !$0.isOver }) {
                return Current(credential: nil, generation: seen.generation)
            }
            guard let (old, response) = due(seen, after: rejection, mayStart: turns > 0) else {
                return Current(
                    credential: seen.credential, generation: seen.generation,
                    isRefreshed: isRefreshed)
            }
            guard let (handle, work, isNew) = join(seen, old, response, session) else { continue }
            try await handle.value()
            turns = isNew ? 0 : turns - 1
            isRefreshed = isRefreshed || work.isRefresh
        }
    }

    /// Refreshes a credential that was rejected, for later requests.
    func refresh(after rejection: Rejection, over session: any HTTPSession) {
        let seen = state.withLock { $0 }
        guard let (old, response) = due(seen, after: rejection, mayStart: false) else { return }
        join(seen, old, response, session)?.handle.giveUp()
    }

    /// The arguments for the `refresh` closure; nil if the credential is ready.
    ///
    /// The rejection of an earlier generation does not affect the current one.
    private func due(
        _ seen: State, after rejection: Rejection?, mayStart: Bool
    ) -> (old: Credential?, response: HTTPURLResponse?)? {
        if let rejection, rejection.current.generation == seen.generation {
            return (rejection.current.credential, rejection.response)
        }
        if !seen.isKnown || (mayStart && configuration.isAsked) { return (nil, nil) }
        guard mayStart, configuration.refresh != nil, let old = seen.credential,
            configuration.isStale(old)
        else { return nil }
        return (old, nil)
    }

    /// Joins the work for the current credential, and starts it if there is none. Returns nil if the
    /// credential has changed since it was seen.
    ///
    /// The work is never cancelled. If a refresh token can be used only once, an incomplete refresh
    /// would sign the user out.
    private func join(
        _ seen: State, _ old: Credential?, _ response: HTTPURLResponse?, _ session: any HTTPSession
    ) -> (handle: SingleFlight<Void>.Handle, work: Work, isNew: Bool)? {
        let joined = state.withLock { state -> (SingleFlight<Void>.Handle, Work, isNew: Bool)? in
            guard state.generation == seen.generation else { return nil }
            if let work = state.work, work.generation == seen.generation,
                let handle = work.flight.join()
            {
                return (handle, work, false)
            }
            let handle = SingleFlight<Void>.joined(isCancelledWithLastWaiter: false)
            let work = (seen.generation, old != nil, handle.singleFlight)
            state.work = work
            return (handle, work, true)
        }
        guard let joined, joined.isNew else { return joined }
        let flight = joined.1.flight
        flight.start { [self] in
            try await CredentialWork.$flights.withValue(CredentialWork.flights + [flight]) {
                try await replace(
                    old, response, seen.generation, over: session.failingAtOtherOrigins())
            }
        }
        return joined
    }

    /// Gets the next credential. If the first one is stale, refreshes it.
    ///
    /// - Throws: The error of the closure, unless the app set another credential meanwhile: the
    ///   waiting requests then continue with that one.
    private func replace(
        _ old: Credential?, _ response: HTTPURLResponse?, _ generation: Int,
        over session: any HTTPSession
    ) async throws {
        guard let refresh = configuration.refresh else { return }
        do {
            var new = try await refresh(old, response, session)
            if old == nil, let first = new, configuration.isStale(first) {
                new = try await refresh(first, nil, session)
            }
            state.withLock { [new] state in
                guard state.generation == generation else { return }
                state.set(new, isChange: old != nil || !configuration.isAsked)
            }
        } catch {
            guard state.withLock({ $0.generation == generation }) else { return }
            throw error
        }
    }
}
