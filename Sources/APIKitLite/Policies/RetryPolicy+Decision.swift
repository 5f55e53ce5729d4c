import Foundation

extension RetryPolicy {
    /// How one attempt ended.
    public enum AttemptOutcome: Sendable, Equatable {
        /// The attempt ended with a response. A policy reads its headers `Retry-After` and `Date`.
        case response(status: Int, headers: [String: String] = [:])
        /// The attempt ended with a `URLError` of this code.
        case failure(URLError.Code)

        init(_ response: HTTPURLResponse) {
            var headers: [String: String] = [:]
            for name in ["Retry-After", "Date"] {
                headers[name] = response.value(forHTTPHeaderField: name)
            }
            self = .response(status: response.statusCode, headers: headers)
        }
    }

    /// Returns the delay before the next attempt, or `nil` if the outcome is final.
    ///
    /// - Parameters:
    ///   - number: The number of the attempt that has ended. The first is 1; a lower number counts
    ///     as 1.
    ///   - request: The request that was sent.
    ///   - outcome: How the attempt ended.
    ///   - elapsed: The time since the first attempt began.
    ///   - now: The current time. A date in `Retry-After` is measured from it if the response has
    ///     no `Date` header.
    ///   - random: The jitter factor, from 0 to 1. At 1 the delay is the longest possible.
    /// - Returns: The delay, or `nil` if the request must not be sent again.
    public func wait(
        afterAttempt number: Int, of request: URLRequest, outcome: AttemptOutcome,
        elapsed: Duration, now: Date, random: Double
    ) -> Duration? {
        guard number < maximumAttempts, isTransient(outcome),
            request.mayBeRepeated(methods: methods)
        else { return nil }
        let asked = retryAfter(outcome, now).map { min($0, maximumDelay.clamped) }
        let wait = asked ?? backoff(number, random)
        if let deadline, elapsed.clamped + wait >= deadline { return nil }
        return wait
    }

    /// Returns the delay after each of these outcomes, up to the first outcome that is final.
    ///
    /// The policy makes one attempt more than there are delays.
    ///
    ///     RetryPolicy.standard.schedule(
    ///         for: [.response(status: 429, headers: ["Retry-After": "7"])], of: request)
    ///     // [7.0 seconds]
    ///
    /// - Parameters:
    ///   - outcomes: How the attempts end, in order.
    ///   - request: The request that is sent.
    ///   - attempt: How long each attempt takes.
    ///   - now: The time at which the first attempt begins. A date in `Retry-After` is measured
    ///     from the time of its attempt if the response has no `Date` header.
    ///   - random: The jitter factor of every delay, from 0 to 1. The default, 1, gives the longest
    ///     delays.
    /// - Returns: The delays, in order.
    public func schedule(
        for outcomes: [AttemptOutcome], of request: URLRequest,
        attemptsTaking attempt: Duration = .zero,
        now: Date = Date(), random: Double = 1
    ) -> [Duration] {
        var waits: [Duration] = []
        var elapsed = Duration.zero
        for (index, outcome) in outcomes.enumerated() {
            elapsed += attempt.clamped
            guard
                let wait = wait(
                    afterAttempt: index + 1, of: request, outcome: outcome, elapsed: elapsed,
                    now: now.addingTimeInterval(elapsed.seconds), random: random)
            else { break }
            waits.append(wait)
            elapsed += wait
        }
        return waits
    }

    private func isTransient(_ outcome: AttemptOutcome) -> Bool {
        switch outcome {
        case .response(let status, _): statuses.contains(status)
        case .failure(let code): errorCodes.contains(code)
        }
    }

    /// The sentence about a request that is not sent again because of its method; nil if there is
    /// another reason.
    func hint(for request: URLRequest, _ outcome: AttemptOutcome) -> String? {
        guard maximumAttempts > 1, isTransient(outcome), request.canBeSentAgain,
            !request.mayBeRepeated(methods: methods)
        else { return nil }
        let method = request.method
        return "The retry policy sends \(method) again only with an `Idempotency-Key` header: "
            + "\(method) is not among its `methods`."
    }

    /// The delay after an attempt: exponential backoff with full jitter.
    private func backoff(_ number: Int, _ random: Double) -> Duration {
        let longest = maximumDelay.clamped
        var bound = baseDelay.clamped
        var doublings = max(number, 1) - 1
        while doublings > 0, bound > .zero, bound < longest {
            bound *= 2
            doublings -= 1
        }
        bound = min(bound, longest)
        if random >= 1 { return bound }
        return random > 0 ? bound * random : .zero
    }

    /// The delay that a `Retry-After` header asks for (RFC 9110, 10.2.3), from zero up.
    ///
    /// Returns `nil` if there is no such header, or if its value is neither a number of seconds nor
    /// a date.
    private func retryAfter(_ outcome: AttemptOutcome, _ now: Date) -> Duration? {
        guard case .response(_, let headers) = outcome,
            let text = headers.value("Retry-After")?.trimmingCharacters(in: .whitespaces)
        else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) {
            // A number too large for `Int64` counts as the longest duration.
            return Int64(text).map { Duration.seconds($0).clamped } ?? .forever
        }
        guard let date = Date(httpDate: text, now: now) else { return nil }
        let sent = headers.value("Date").flatMap { Date(httpDate: $0, now: now) } ?? now
        // If the interval is not a number, the comparison is false and the delay is zero.
        let seconds = date.timeIntervalSince(sent)
        return seconds > 0 ? Duration.seconds(min(seconds, Duration.forever.seconds)) : .zero
    }
}

extension [String: String] {
    /// The value of a header, whose name is compared without case.
    fileprivate func value(_ name: String) -> String? {
        self[name] ?? first { $0.key.lowercased() == name.lowercased() }?.value
    }
}
