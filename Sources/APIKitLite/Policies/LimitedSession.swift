import Foundation

extension HTTPSession {
    /// Returns a session with at most `count` requests in progress. The other requests wait in
    /// order of arrival.
    ///
    ///     let session = URLSession.shared.limited(to: 4)
    ///
    /// A request occupies its place until its body has ended: for a stream, until the body was read
    /// or its reader has left. In `retrying().limited(to: 4)` it also occupies it during the delays
    /// between attempts. A request that is cancelled while it waits for a place ends immediately.
    /// After a timeout inside the limit, another request gets the place while the one that timed out
    /// may still be ending.
    ///
    /// Every request needs a place of its own. So a request that is sent over this session while
    /// another one waits for its answer, such as a refresh with `refreshingOver:`, can wait for a
    /// place that never becomes free: it ends at its timeout.
    ///
    /// The returned value owns the limit, and its copies share it. Create it once and keep it.
    ///
    /// - Parameter count: The highest number of concurrent exchanges. A value below 1 counts as 1.
    /// - Returns: A session that wraps this one.
    public func limited(to count: Int) -> some HTTPSession {
        LimitedSession(next: self, semaphore: AsyncSemaphore(count))
    }
}

private struct LimitedSession: SessionPolicy {
    let next: any HTTPSession
    let semaphore: AsyncSemaphore

    func send(
        _ request: URLRequest, awaiting part: ResponsePart
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await semaphore.wait()
        do {
            // The task may have been cancelled just as it got the place.
            try Task.checkNotCancelled()
            let (body, response) = try await next.send(request, awaiting: part)
            body.onEnd { [semaphore] _, _ in semaphore.signal() }
            return (body, response)
        } catch {
            semaphore.signal()
            throw error
        }
    }
}
