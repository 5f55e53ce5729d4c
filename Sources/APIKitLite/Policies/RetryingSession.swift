import Foundation

/// A session that retries temporary failures: see ``HTTPSession/retrying(_:clock:random:now:)``.
public struct RetryingSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public private(set) var next: any HTTPSession
    private let policy: RetryPolicy
    private let timeline: Timeline
    private let timeout: Timeout?
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Date

    init(
        next: any HTTPSession, policy: RetryPolicy, clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Date
    ) {
        self.next = next
        self.policy = policy
        self.random = random
        self.now = now
        let timeline = Timeline(clock)
        self.timeline = timeline
        timeout = policy.deadline.map { Timeout($0, on: timeline) }
    }

    /// Sends the request, and sends it again as the policy decides.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response of the last attempt, whatever its status.
    /// - Throws: `URLError.timedOut` at the policy's deadline, `URLError.cancelled` when the task
    ///   is cancelled; otherwise the error of the last attempt.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let timeout else { return try await attempts(request, before: nil) }
        return try await timeout.run { try await attempts(request, before: $0) }
    }

    /// Opens a stream, and opens it again as the policy decides from the headers or the error.
    ///
    /// The deadline limits the time until the headers. Once this returns, nothing is sent again: a
    /// body that ends early throws its error.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response of the last attempt, whatever its status.
    /// - Throws: The same errors as ``exchange(_:)``.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await next.openStream { head in
            var policy = self
            policy.next = head
            return try await policy.exchange(request)
        }
    }

    /// Makes attempts until the policy accepts an outcome as final.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - deadline: The moment on the timeline at which no attempt may start any more.
    private func attempts(
        _ request: URLRequest, before deadline: Duration?
    ) async throws -> (Data, HTTPURLResponse) {
        let start = timeline.now()
        var number = 1
        while true {
            let result = await Result { try await next.exchange(request) }
            guard !Task.isCancelled, let outcome = outcome(of: result),
                let wait = policy.wait(
                    afterAttempt: number, of: request, outcome: outcome,
                    elapsed: timeline.now() - start, now: now(), random: random())
            else { return try result.get() }
            next.endOpenedStream()
            if wait > .zero { try? await timeline.sleep(timeline.now() + wait) }
            try Task.checkNotCancelled()
            // The sleep may have ended late.
            if let deadline, timeline.now() >= deadline { throw URLError(.timedOut) }
            number += 1
        }
    }

    /// The outcome to ask the policy about, or `nil` for a result that no policy retries.
    private func outcome(
        of result: Result<(Data, HTTPURLResponse), any Error>
    ) -> RetryPolicy.Outcome? {
        switch result {
        case .success((_, let response)):
            // Most responses end here, before any header is read.
            guard policy.statuses.contains(response.statusCode) else { return nil }
            var headers: [String: String] = [:]
            for name in ["Retry-After", "Date"] {
                headers[name] = response.value(forHTTPHeaderField: name)
            }
            return .response(status: response.statusCode, headers: headers)
        case .failure(let error):
            return URLError(from: error).map { .failure($0.code) }
        }
    }
}

extension HTTPSession {
    /// Returns a session that retries temporary failures as a ``RetryPolicy`` decides.
    ///
    ///     let session = URLSession.shared.retrying()
    ///
    /// The caller receives the response or the error of the last attempt, unchanged. Cancelling the
    /// task ends a delay at once, and nothing is sent after that.
    ///
    /// - Parameters:
    ///   - policy: The policy that decides which failures are retried, how often, and after which
    ///     delays.
    ///   - clock: The clock that measures the delays and the deadline. A `MockClock` counts a delay
    ///     as a sleeper, but not the deadline.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from it if the
    ///     response has no `Date` header.
    /// - Returns: A session that wraps this one.
    public func retrying(
        _ policy: RetryPolicy = .standard, clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> RetryingSession {
        RetryingSession(next: self, policy: policy, clock: clock, random: random, now: now)
    }
}
