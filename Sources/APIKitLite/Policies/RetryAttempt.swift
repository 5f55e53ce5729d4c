import Foundation

/// A finished attempt to send a request, and the decision of a ``RetryPolicy`` about the attempt.
///
/// Your own retry rule is a function from an attempt to a ``RetryDecision``:
///
///     let session = URLSession.shared.retrying { attempt in
///         guard attempt.response?.statusCode == 202, let delay = attempt.retryAfter
///         else { return attempt.decision }
///         return .retry(after: delay)
///     }
///
/// A test needs neither a session nor a clock to check the decision about an attempt:
///
///     let attempt = RetryAttempt(of: request, response: .status(503))
///
///     #expect(attempt.decision == .retry(after: .milliseconds(500)))
public struct RetryAttempt: Sendable {
    /// The attempt's number, counted from 1.
    public let number: Int
    /// The request that was sent.
    public let request: URLRequest
    /// The response's status and headers, or nil if the attempt threw an error.
    public let response: HTTPURLResponse?
    /// The response's body. Nil after an error, and for a stream whose body comes in pieces.
    public let data: Data?
    /// The error, or nil if there is a response.
    public let error: (any Error)?
    /// The time since the first attempt began.
    let elapsed: Duration
    /// The policy's decision about the attempt.
    public let decision: RetryDecision
    /// The delay, including jitter, that the policy computes after an attempt with this number,
    /// even if the policy does not retry the request. `Retry-After` is ignored. To retry more often
    /// than the policy, return `.retry(after: attempt.retryAfter ?? attempt.backoff)`.
    public let backoff: Duration

    private let now: Date

    /// Creates a finished attempt, with which a test can check a policy or your own rule.
    ///
    /// - Parameters:
    ///   - number: The attempt's number, counted from 1. A lower number counts as 1.
    ///   - request: The request that was sent.
    ///   - response: The response's status and headers, or nil if the attempt threw an error.
    ///   - data: The response's body, or nil for a stream.
    ///   - error: The error. If it is not nil, the policy ignores the response.
    ///   - elapsed: The time since the first attempt began.
    ///   - policy: The policy that makes the decision.
    ///   - random: The jitter factor, from 0 to 1. At 1, the delay is the longest possible.
    ///   - now: The current time. A date in `Retry-After` is measured from this time if the
    ///     response has no valid `Date` header.
    public init(
        _ number: Int = 1, of request: URLRequest, response: HTTPURLResponse? = nil,
        data: Data? = nil, error: (any Error)? = nil, elapsed: Duration = .zero,
        policy: RetryPolicy = .standard, random: Double = 1, now: Date = Date()
    ) {
        let number = max(number, 1)
        self.number = number
        self.request = request
        self.response = response
        self.data = data
        self.error = error
        self.elapsed = elapsed.clamped
        self.now = now
        backoff = policy.backoff(afterAttempt: number, random: random)
        let asked = error == nil ? response?.retryAfter(now: now) : nil
        let delay = asked ?? backoff
        let isRetried =
            number < policy.maximumAttempts && policy.isTransient(response, error)
            && request.mayBeRepeated(methods: policy.methods)
            && delay <= policy.maximumDelay.clamped && policy.allows(delay, after: elapsed)
        decision = isRetried ? .retry(after: delay) : .finish
    }

    /// The delay in the response's `Retry-After` header (RFC 9110, 10.2.3), at least zero. It may
    /// be longer than the policy's ``RetryPolicy/maximumDelay``.
    ///
    /// Nil if there is no such header, or if its value is neither a number of seconds nor a date. A
    /// number with a fraction is rounded up.
    public var retryAfter: Duration? { response?.retryAfter(now: now) }
}

/// What happens after an attempt to send a request.
///
/// This rule sends each retry to a second host, without a delay. The request's headers, including
/// credentials, also go to that host:
///
///     func elsewhere(_ attempt: RetryAttempt) -> RetryDecision {
///         guard case .retry = attempt.decision, let url = attempt.request.url,
///             var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
///         else { return .finish }
///         parts.host = "b.example.com"
///         var request = attempt.request
///         request.url = parts.url
///         return .retry(after: .zero, with: request)
///     }
public enum RetryDecision: Equatable, Sendable {
    /// The caller receives the attempt's response or error.
    case finish
    /// The request, or another request if specified, is sent after a delay. A negative delay counts
    /// as zero.
    case retry(after: Duration, with: URLRequest? = nil)
}

extension HTTPURLResponse {
    func retryAfter(now: Date) -> Duration? {
        guard let text = field("Retry-After") else { return nil }
        // A legal number of seconds has only digits, but a value such as `2.5` also asks for a
        // delay. The delay is rounded up.
        if text.split(".").allSatisfy(\.utf8.areDigits), let seconds = Double(text) {
            return .seconds(Int64(min(seconds.rounded(.up), Duration.forever.seconds)))
        }
        guard let date = Date(httpDate: text, now: now) else { return nil }
        let sent = field("Date").flatMap { Date(httpDate: $0, now: now) }
        // If the interval is not a number, the comparison is false and the delay is zero.
        let seconds = date.timeIntervalSince(sent ?? now)
        return seconds > 0 ? Duration.seconds(min(seconds, Duration.forever.seconds)) : .zero
    }
}

extension RetryPolicy {
    /// Returns whether a delay ends before the deadline. True if there is no deadline.
    func allows(_ delay: Duration, after elapsed: Duration) -> Bool {
        deadline.map { elapsed.clamped + delay.clamped < $0 } ?? true
    }

    /// Throws `URLError.timedOut` if the deadline has passed, so that the caller starts no attempt.
    func checkDeadline(after elapsed: Duration) throws {
        if !allows(.zero, after: elapsed) { throw URLError(.timedOut) }
    }

    /// Returns whether an attempt failed in a way that may be temporary.
    func isTransient(_ response: HTTPURLResponse?, _ error: (any Error)?) -> Bool {
        if let error { return URLError(from: error).map { errorCodes.contains($0.code) } ?? false }
        return response.map { statuses.contains($0.statusCode) } ?? false
    }

    /// Returns the delay after an attempt: exponential backoff with full jitter.
    fileprivate func backoff(afterAttempt number: Int, random: Double) -> Duration {
        // A millisecond becomes 12 days after 30 doublings, so more doublings are not needed.
        let longest = baseDelay.clamped * (1 << min(number - 1, 30))
        let bound = min(longest, maximumDelay.clamped)
        if random >= 1 { return bound }
        return random > 0 ? bound * random : .zero
    }
}
