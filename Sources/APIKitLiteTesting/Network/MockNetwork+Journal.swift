import APIKitLite
import Foundation

extension MockNetwork {
    /// The requests that the network received, oldest first, with their bodies.
    ///
    /// Except during a recording, the network's journal keeps only the last 10,000 requests, and
    /// only the bodies of the last 1,000.
    public var requests: [RecordedRequest] { core.journal.requests }

    /// Suspends until the network has received a number of matching requests, or until the task is
    /// cancelled.
    ///
    /// With a matcher, requests that have left the journal do not count: see ``requests``.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of requests to wait for, counted since the network was created.
    ///   - matcher: The requests to count; by default, every request.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Returns: The matching requests in the journal, oldest first.
    @discardableResult
    public func waitForRequests(
        _ count: Int = 1, matching matcher: RequestMatcher = .any,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async -> [RecordedRequest] {
        await wait(for: count, matching: matcher, toEnd: false, "\(fileID):\(line)")
    }

    /// Suspends until a number of matching requests have ended, or until the task is cancelled.
    ///
    /// A request ends when its response is complete, or when the request fails or is cancelled.
    /// The client may receive the result a moment later. Requests that have left the journal do not
    /// count: see ``requests``.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of ended requests to wait for, counted since the network was created.
    ///   - matcher: The requests to count; by default, every request.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Returns: The matching requests in the journal that have ended, oldest first.
    @discardableResult
    public func waitForResponses(
        _ count: Int = 1, matching matcher: RequestMatcher = .any,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async -> [RecordedRequest] {
        await wait(for: count, matching: matcher, toEnd: true, "\(fileID):\(line)")
    }

    /// Waits until enough matching requests have arrived or, with `toEnd`, have ended, or until the
    /// task is cancelled. Checks whenever a request arrives or ends.
    private func wait(
        for count: Int, matching matcher: RequestMatcher, toEnd: Bool, _ sourceLocation: String
    ) async -> [RecordedRequest] {
        let isAny = matcher.criteria.isEmpty
        let journal = core.journal
        @Sendable func found() -> (count: Int, requests: [RecordedRequest]) {
            if isAny, !toEnd { return (journal.requestCount, requests) }
            let found = requests.filter { request in
                (!toEnd || request.endTime != nil)
                    && (isAny || matcher.match(RequestReading(request)) != nil)
            }
            return (found.count, found)
        }
        // The report must not call the matcher, which may contain the user's predicate.
        let number = Locked(0)
        let name = toEnd ? "waitForResponses" : "waitForRequests"
        let text = "network.\(name)(\(count == 1 ? "" : "\(count)"))"
        return await core.watch.run(text, sourceLocation) {
            "\(number.withLock { $0 }) of \(count.requests) \(toEnd ? "ended" : "came")"
                + (isAny ? "" : " that match \(matcher)")
        } _: {
            while true {
                let seen = journal.changeCount
                let found = found()
                if found.count >= count || Task.isCancelled { return found.requests }
                number.withLock { $0 = found.count }
                await journal.waitForChange(after: seen)
            }
        }
    }
}
