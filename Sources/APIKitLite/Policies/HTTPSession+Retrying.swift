import Foundation

extension HTTPSession {
    /// Returns a session that retries temporary failures as a ``RetryPolicy``, or your own rule,
    /// decides.
    ///
    ///     let session = URLSession.shared.retrying()
    ///
    /// By default, a request that is not idempotent, such as a `POST`, is retried only if it has a
    /// nonempty `Idempotency-Key` header, because the server may have processed it: see
    /// ``RetryPolicy``.
    ///
    /// The caller receives the last attempt's response or error, unchanged. Cancelling the task
    /// ends a delay immediately with `URLError.cancelled`, and nothing is sent after the
    /// cancellation.
    ///
    /// For a stream, the policy bases its decision on the headers or the error. Once the headers of
    /// a response that is not retried have arrived, nothing is sent again. If the body ends early,
    /// reading the body throws an error.
    ///
    /// The policy's deadline is checked before each attempt and each delay. If it has passed before
    /// an attempt, the caller receives `URLError.timedOut`. The deadline does not end an attempt
    /// that hangs. To end such an attempt, use ``timingOut(after:idle:clock:)``.
    ///
    /// - Parameters:
    ///   - policy: The policy that decides which failures are retried, how often, and after what
    ///     delays.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - deciding: Your own rule, which decides what to do after any response or error. By
    ///     default, the policy decides. The rule should be a pure function, and is not called if
    ///     the caller was cancelled. The rule can exceed ``RetryPolicy/maximumAttempts``, retry any
    ///     method, and return another request. Two limits always apply: no attempt starts after the
    ///     deadline, and your own body stream is sent only once.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from this time if the
    ///     response has no valid `Date` header.
    public func retrying(
        _ policy: RetryPolicy = .standard, clock: any Clock<Duration> = ContinuousClock(),
        deciding: @escaping @Sendable (RetryAttempt) -> RetryDecision = { $0.decision },
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> some HTTPSession {
        let timeline = Timeline(clock)
        return ClosureSession(exchange: { request, options in
            let start = timeline.now()
            var (request, options) = (request, options)
            options.context.begin()
            var number = 1
            while true {
                try Task.checkNotCancelled()
                try policy.checkDeadline(after: timeline.now() - start)
                let result = await Result { [request, options] in
                    try await send(request, awaiting: options)
                }
                let response = try? result.get()
                var failure: (any Error)?
                if case .failure(let error) = result { failure = error }
                let attempt = RetryAttempt(
                    number, of: request, response: response?.1, data: response?.0.data,
                    error: failure, elapsed: timeline.now() - start, policy: policy,
                    random: random(), now: now())
                guard !Task.isCancelled, case .retry(let delay, let other) = deciding(attempt),
                    policy.allows(delay, after: attempt.elapsed),
                    (other ?? request).canBeSentAgain
                else { return try result.get() }
                response?.0.end()
                try? await timeline.sleep(timeline.now() + delay.clamped)
                request = other ?? request
                number += 1
            }
        })
    }
}
