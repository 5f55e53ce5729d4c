import Foundation

extension HTTPSession {
    /// Returns a session with at most `count` exchanges in progress. The other requests wait in
    /// order of arrival.
    ///
    ///     let session = URLSession.shared.limited(to: 4)
    ///
    /// An exchange occupies its place until it ends. In `retrying().limited(to: 4)` it also
    /// occupies it during the delays between attempts. After a timeout or a cancellation, work that
    /// ignores its cancellation keeps the place until it ends. A request that is cancelled while it
    /// waits for a place ends at once.
    ///
    /// A stream occupies its place until its body has ended, or the reader has left. A request that
    /// the reader sends in its loop needs a place of its own.
    ///
    /// An exchange that starts inside another exchange of the same limit uses that exchange's
    /// place. The refresh of `Credentials` that have a session for it (`refreshingOver:`) needs no
    /// place, because the requests that have the places may wait for it.
    ///
    /// The returned value owns the limit, and its copies share it. Create it once and keep it.
    ///
    /// - Parameter count: The highest number of concurrent exchanges. A value below 1 counts as 1.
    /// - Returns: A session that wraps this one.
    public func limited(to count: Int) -> LimitedSession {
        LimitedSession(next: self, count: count)
    }
}

/// A session that limits its concurrent exchanges: see ``HTTPSession/limited(to:)``.
public struct LimitedSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    private let semaphore: AsyncSemaphore

    init(next: any HTTPSession, count: Int) {
        self.next = next
        semaphore = AsyncSemaphore(count)
    }

    /// Suspends until a place is free, and sends the request.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response.
    /// - Throws: `URLError.cancelled` when the task is cancelled before the request is sent;
    ///   otherwise the error of the wrapped session.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let place = try await place()
        defer { place.permit?.release() }
        guard place.isNew else { return try await next.exchange(request) }
        return try await Permit.$current.withValue(place.permit) {
            try await next.exchange(request)
        }
    }

    /// Suspends until a place is free, and opens the stream, which occupies the place until it has
    /// ended.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response.
    /// - Throws: The same errors as ``exchange(_:)``.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        let place = try await place()
        do {
            let (body, response) =
                place.isNew
                ? try await Permit.$current.withValue(place.permit) {
                    try await next.stream(request)
                } : try await next.stream(request)
            guard let permit = place.permit else { return (body, response) }
            return (body.observed { event in if case .end = event { permit.release() } }, response)
        } catch {
            place.permit?.release()
            throw error
        }
    }

    /// Suspends until a place is free, and returns its permit, of which the caller is a holder.
    ///
    /// An outer exchange may wait for this one. A second place could then cause a deadlock, so this
    /// exchange uses the place of the outer one, which remains occupied until both have ended. A
    /// refresh over a chosen session needs no place: the requests that have the places may wait for
    /// it.
    ///
    /// - Throws: `URLError.cancelled` when the task is cancelled.
    private func place() async throws -> (permit: Permit?, isNew: Bool) {
        if let permit = Permit.retainPlace(in: semaphore) { return (permit, false) }
        if RefreshScope.current?.needsNoPlace == true { return (nil, false) }
        try await semaphore.wait()
        let permit = Permit(semaphore)
        // The task may have been cancelled just as it got the place.
        guard !Task.isCancelled else {
            permit.release()
            throw URLError(.cancelled)
        }
        return (permit, true)
    }
}
