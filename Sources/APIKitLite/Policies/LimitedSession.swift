import Foundation

extension HTTPSession {
    /// Sends at most `count` requests at a time; the others wait, first come first served.
    ///
    ///     let session = URLSession.shared.limited(to: 4)
    ///
    /// A place is held until the answer is there: around `retrying`, also during the waits between
    /// its attempts. What is given up by a timeout or a cancellation but goes on all the same keeps
    /// its place until it ends. A request that is cancelled while it waits for a place ends at once.
    ///
    /// An exchange that starts inside another one of this limit, such as the refresh of a credential
    /// over the same chain, goes in the place of that one.
    ///
    /// The places are in the value that this returns: make it once and keep it. Copies share them.
    ///
    /// - Parameter count: How many. Below one counts as one.
    public func limited(to count: Int) -> LimitedSession {
        LimitedSession(next: self, count: count)
    }
}

/// A session with a limit of exchanges in flight: see ``HTTPSession/limited(to:)``.
public struct LimitedSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    private let semaphore: AsyncSemaphore

    init(next: any HTTPSession, count: Int) {
        self.next = next
        semaphore = AsyncSemaphore(count)
    }

    /// Waits for a place and sends the request.
    ///
    /// - Throws: What the session inside throws; `URLError.cancelled` when the task is cancelled
    ///   before it is sent.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        // An exchange inside another one of this limit, as the refresh that it waits for, has the
        // place of that one: with a place of its own it might wait for itself.
        if Permit.hasPlace(in: semaphore) { return try await next.exchange(request) }
        try await semaphore.wait()
        let permit = Permit(semaphore)
        defer { permit.release() }
        // The place may have come together with a cancellation.
        try Task.checkNotCancelled()
        return try await Permit.$current.withValue(permit) { try await next.exchange(request) }
    }
}
