import Foundation

extension MockNetwork {
    /// The requests that the network received, oldest first, with their bodies.
    ///
    /// The journal keeps the last ``journalLimit`` requests.
    public var requests: [RecordedRequest] { core.journal.requests }

    /// The number of requests that the journal keeps.
    ///
    /// The default is 10,000. With 0, the journal keeps no request.
    public var journalLimit: Int {
        get { core.journal.limit }
        set { core.journal.limit = newValue }
    }

    /// The largest number of requests that were unanswered at the same time.
    ///
    /// A response that is neither delayed nor held is given at once. To measure how many requests a
    /// client sends at the same time, delay or hold the responses.
    public var mostInFlight: Int { core.journal.mostInFlight }

    /// Suspends until the network has received a number of requests, or until the task is
    /// cancelled.
    ///
    /// - Parameter count: The number of requests, counted from the creation of the network.
    /// - Returns: The requests received so far, as ``requests`` lists them.
    @discardableResult
    public func waitForRequests(_ count: Int = 1) async -> [RecordedRequest] {
        await core.journal.count.wait(for: count)
        return requests
    }

    /// Suspends until the network has received a number of matching requests, or until the task is
    /// cancelled.
    ///
    /// Requests that the journal no longer keeps do not count: see ``journalLimit``.
    ///
    /// - Parameters:
    ///   - count: The number of matching requests, counted from the creation of the network.
    ///   - matcher: The requests to count.
    /// - Returns: The matching requests that the journal keeps, oldest first.
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

    /// Suspends until a number of matching requests have ended, or until the task is cancelled.
    ///
    /// A request ends when its answer is complete, when it fails, or when the client cancels it.
    /// The client may receive the result a moment later. Requests that the journal no longer keeps
    /// do not count: see ``journalLimit``.
    ///
    /// - Parameters:
    ///   - count: The number of ended requests, counted from the creation of the network.
    ///   - matcher: The requests to count; by default, every request.
    /// - Returns: The matching requests that have ended and that the journal keeps, oldest first.
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
