import Foundation

extension MockNetwork {
    /// The requests that came, oldest first, with their bodies; the last ``journalLimit`` of them.
    public var requests: [RecordedRequest] { core.journal.requests }

    /// How many requests are kept. 10,000 by default; 0 keeps none.
    public var journalLimit: Int {
        get { core.journal.limit }
        set { core.journal.limit = newValue }
    }

    /// The most requests that were here and unanswered at one moment.
    ///
    /// A response that is neither delayed nor held is given at once: to see how much a client does
    /// at a time, hold its answers back.
    public var mostInFlight: Int { core.journal.mostInFlight }

    /// Suspends until this many requests have come, or the task is cancelled.
    ///
    /// - Returns: The requests that have come by then, as ``requests`` does.
    @discardableResult
    public func waitForRequests(_ count: Int = 1) async -> [RecordedRequest] {
        await core.journal.count.wait(for: count)
        return requests
    }

    /// Suspends until this many requests that match have come, or the task is cancelled.
    ///
    /// A request that the journal does not keep does not count: see ``journalLimit``.
    ///
    /// - Returns: The requests that match, oldest first, as far as the journal reaches.
    @discardableResult
    public func waitForRequests(
        _ count: Int = 1, matching matcher: RequestMatcher
    ) async -> [RecordedRequest] {
        while true {
            let seen = core.journal.count.number
            let matching = requests.filter { matcher.match(RequestReading($0)) != nil }
            if matching.count >= count || Task.isCancelled { return matching }
            await core.journal.count.wait(for: seen + 1)
        }
    }

    /// Suspends until this many requests that match have ended, answered or cancelled, or the task
    /// is cancelled.
    ///
    /// The client may learn of it a moment later. A request that the journal does not keep does not
    /// count: see ``journalLimit``.
    ///
    /// - Returns: The requests that have ended, oldest first, as far as the journal reaches.
    @discardableResult
    public func waitForResponses(
        _ count: Int = 1, matching matcher: RequestMatcher = .any
    ) async -> [RecordedRequest] {
        while true {
            let seen = core.journal.ends.number
            let ended = requests.filter {
                $0.endTime != nil && matcher.match(RequestReading($0)) != nil
            }
            if ended.count >= count || Task.isCancelled { return ended }
            await core.journal.ends.wait(for: seen + 1)
        }
    }
}
