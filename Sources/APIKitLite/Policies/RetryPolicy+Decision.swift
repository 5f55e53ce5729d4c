import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RetryPolicy {
    /// How one attempt ended.
    public enum Outcome: Sendable, Equatable {
        /// With an answer. Of its headers, `Retry-After` and `Date` matter.
        case response(status: Int, headers: [String: String] = [:])
        /// With a `URLError`.
        case failure(URLError.Code)
    }

    /// The decision: how long to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - number: The attempt that has ended; the first is 1, and less counts as 1.
    ///   - request: What was sent.
    ///   - outcome: What came of it.
    ///   - elapsed: The time since the first attempt began.
    ///   - now: What a `Retry-After` date is measured from, if the answer has no `Date`.
    ///   - random: From 0 up to 1. At 1, the wait is the longest there may be.
    /// - Returns: nil if this outcome is final.
    public func wait(
        afterAttempt number: Int, of request: URLRequest, outcome: Outcome,
        elapsed: Duration, now: Date, random: Double
    ) -> Duration? {
        guard number < maximumAttempts, isTransient(outcome), permits(request) else { return nil }
        let asked = retryAfter(outcome, now).map { min($0, maximumDelay.clamped) }
        let wait = asked ?? backoff(number, random)
        if let deadline, elapsed.clamped + wait >= deadline { return nil }
        return wait
    }

    /// The waits between attempts that end like this: one less than the attempts that are made.
    ///
    ///     RetryPolicy.standard.schedule(
    ///         for: [.response(status: 429, headers: ["Retry-After": "7"])], of: request)
    ///     // [7.0 seconds]
    ///
    /// - Parameters:
    ///   - outcomes: What each attempt comes to. The schedule ends at the first that is final.
    ///   - request: What is sent.
    ///   - attempt: How long each attempt takes.
    ///   - now: The moment of the first attempt, for a `Retry-After` date without a `Date`.
    ///   - random: The same from 0 up to 1 for each wait: 1, the default, gives the longest.
    public func schedule(
        for outcomes: [Outcome], of request: URLRequest, attemptsTaking attempt: Duration = .zero,
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

    private func isTransient(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .response(let status, _): statuses.contains(status)
        case .failure(let code): errorCodes.contains(code)
        }
    }

    /// Whether the request may and can be sent a second time.
    private func permits(_ request: URLRequest) -> Bool {
        guard request.httpBodyStream == nil else { return false }
        let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""
        return !key.isEmpty || methods.contains(request.httpMethod?.uppercased() ?? "GET")
    }

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

    /// What the server asks for; nil if it does not, or in words that are neither seconds nor a
    /// date.
    private func retryAfter(_ outcome: Outcome, _ now: Date) -> Duration? {
        guard case .response(_, let headers) = outcome,
            let text = headers.value("Retry-After")?.trimmingCharacters(in: .whitespaces)
        else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) {
            // More digits than a number holds.
            return Int64(text).map { Duration.seconds($0).clamped } ?? .forever
        }
        guard let date = Date(httpDate: text, now: now) else { return nil }
        let sent = headers.value("Date").flatMap { Date(httpDate: $0, now: now) } ?? now
        // Also for a date that is not a number.
        let seconds = date.timeIntervalSince(sent)
        return seconds > 0 ? Duration.seconds(min(seconds, Duration.forever.seconds)) : .zero
    }
}

extension [String: String] {
    fileprivate func value(_ name: String) -> String? {
        self[name] ?? first { $0.key.lowercased() == name.lowercased() }?.value
    }
}
