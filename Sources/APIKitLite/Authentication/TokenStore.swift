import Foundation

/// The app's own store of a token. Requests share the calls to the store, which are made one at a
/// time.
struct TokenStore: Sendable {
    typealias Rejection = Credentials<String>.Rejection

    let session: any HTTPSession
    let call: @Sendable (Rejection) async throws -> String?
    /// The calls that a request can join, keyed by the rejected token.
    let calls = Locked<[String?: SingleFlight<String?>]>([:])
    /// The semaphore that is held during a call to the store.
    let calling = AsyncSemaphore(1)

    /// Returns a request with the store's token, and the rejection to report if a response rejects
    /// the token. If the request has no token, the rejection is nil.
    func applied(
        to request: URLRequest, _ context: SendContext, after rejection: Rejection?
    ) async throws -> (URLRequest, Rejection?) {
        if SharedWork.isRunning(for: calling) { return (request, nil) }
        do {
            let token = try await token(replacing: rejection ?? Rejection(session: session))
            guard let token else { return (request, nil) }
            let sent = try request.authorization(bearer: token)
            return (sent, Rejection(credential: token, request: sent, session: session))
        } catch {
            context.didFail?(.refresh)
            throw error
        }
    }

    private func token(replacing rejection: Rejection) async throws -> String? {
        let rejected = rejection.credential
        let handle = calls.withLock { SingleFlight.join(&$0[rejected]) }
        return try await handle.value(for: calling) {
            try await calling.wait()
            defer { calling.signal() }
            // Another user may sign in during the call. A request that begins now needs a later
            // call, but a request whose token was rejected began earlier and can share this call.
            if rejected == nil { calls.withLock { $0[rejected] = nil } }
            defer { if rejected != nil { calls.withLock { $0[rejected] = nil } } }
            return try await call(rejection)
        }
    }
}
