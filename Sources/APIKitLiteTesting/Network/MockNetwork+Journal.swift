import APIKitLite
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
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of requests, counted from the creation of the network.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Returns: The requests received so far, as ``requests`` lists them.
    @discardableResult
    public func waitForRequests(
        _ count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line
    ) async -> [RecordedRequest] {
        let journal = core.journal
        if journal.requestCount < count {
            let text = "network.waitForRequests(\(count == 1 ? "" : "\(count)"))"
            await core.watch.run(text, "\(fileID):\(line)") {
                "\(journal.requestCount) of \(count.requests) came"
            } _: {
                await journal.waitForRequests(count)
            }
        }
        return requests
    }

    /// Suspends until the network has received a number of matching requests, or until the task is
    /// cancelled.
    ///
    /// Requests that the journal no longer keeps do not count: see ``journalLimit``.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of matching requests, counted from the creation of the network.
    ///   - matcher: The requests to count.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Returns: The matching requests that the journal keeps, oldest first.
    @discardableResult
    public func waitForRequests(
        _ count: Int = 1, matching matcher: RequestMatcher, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async -> [RecordedRequest] {
        await wait(
            "waitForRequests", count, matching: matcher, verb: "came", "\(fileID):\(line)",
            on: core.journal.changes
        ) { _ in true }
    }

    /// Suspends until a number of matching requests have ended, or until the task is cancelled.
    ///
    /// A request ends when its answer is complete, when it fails, or when the client cancels it.
    /// The client may receive the result a moment later. Requests that the journal no longer keeps
    /// do not count: see ``journalLimit``.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of ended requests, counted from the creation of the network.
    ///   - matcher: The requests to count; by default, every request.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Returns: The matching requests that have ended and that the journal keeps, oldest first.
    @discardableResult
    public func waitForResponses(
        _ count: Int = 1, matching matcher: RequestMatcher = .any,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async -> [RecordedRequest] {
        await wait(
            "waitForResponses", count, matching: matcher, verb: "ended", "\(fileID):\(line)",
            on: core.journal.changes
        ) { $0.endTime != nil }
    }

    /// Waits until enough requests match, and looks whenever a counter changes.
    private func wait(
        _ name: String, _ count: Int, matching matcher: RequestMatcher, verb: String,
        _ sourceLocation: String, on counter: AwaitableCounter,
        where isCounted: @escaping @Sendable (RecordedRequest) -> Bool
    ) async -> [RecordedRequest] {
        @Sendable func found() -> [RecordedRequest] {
            requests.filter { isCounted($0) && matcher.match(RequestReading($0)) != nil }
        }
        let start = counter.number
        let first = found()
        if first.count >= count || Task.isCancelled { return first }
        // The report must not ask the matcher, which may have a predicate of the user's.
        let number = Locked(first.count)
        let text = "network.\(name)(\(count == 1 ? "" : "\(count)"))"
        return await core.watch.run(text, sourceLocation) { [redaction = core.redaction] in
            "\(number.withLock { $0 }) of \(count.requests) \(verb) that match "
                + matcher.text(redacting: redaction)
        } _: {
            var seen = start
            while true {
                await counter.wait(for: seen + 1)
                seen = counter.number
                let found = found()
                if found.count >= count || Task.isCancelled { return found }
                number.withLock { $0 = found.count }
            }
        }
    }
}
