import Foundation

private struct RetryingSession: SessionPolicy {
    let next: any HTTPSession
    let policy: RetryPolicy
    let timeline: Timeline
    let random: @Sendable () -> Double
    let now: @Sendable () -> Date

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let start = timeline.now()
        var number = 1
        while true {
            try Task.checkNotCancelled()
            if let deadline = policy.deadline, timeline.now() - start >= deadline {
                throw URLError(.timedOut)
            }
            let result = await Result { try await next.send(request, awaiting: options) }
            let outcome = outcome(of: result)
            guard !Task.isCancelled, let outcome,
                let wait = policy.wait(
                    afterAttempt: number, of: request, outcome: outcome,
                    elapsed: timeline.now() - start, now: now(), random: random())
            else {
                let hint = outcome.flatMap { policy.hint(for: request, $0) }
                options.retryHint?.withLock { $0 = hint }
                return try result.get()
            }
            if case .success((let body, _)) = result { body.end() }
            if wait > .zero { try? await timeline.sleep(timeline.now() + wait) }
            number += 1
        }
    }

    /// The outcome to ask the policy about, or `nil` for a result that no policy retries.
    private func outcome(
        of result: Result<(HTTPBody, HTTPURLResponse), any Error>
    ) -> RetryPolicy.AttemptOutcome? {
        switch result {
        case .success((_, let response)):
            // Most responses end here, before any header is read.
            guard policy.statuses.contains(response.statusCode) else { return nil }
            return RetryPolicy.AttemptOutcome(response)
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
    /// task ends a delay immediately, and nothing is sent after that.
    ///
    /// For a stream, the policy decides from the headers or the error. Then nothing is sent again:
    /// a body that ends early throws its error.
    ///
    /// The policy's deadline is checked before each attempt and each delay. It does not end an
    /// attempt that hangs: ``timingOut(after:idle:clock:)`` does.
    ///
    /// - Parameters:
    ///   - policy: The policy that decides which failures are retried, how often, and after which
    ///     delays.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from it if the
    ///     response has no `Date` header.
    /// - Returns: A session that wraps this one.
    public func retrying(
        _ policy: RetryPolicy = .standard, clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> some HTTPSession {
        RetryingSession(
            next: self, policy: policy, timeline: Timeline(clock), random: random, now: now)
    }
}
