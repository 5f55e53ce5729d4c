import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session that sends again what failed for the moment: see
/// ``HTTPSession/retrying(_:clock:random:now:)``.
public struct RetryingSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
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

    /// Sends the request, as often as the policy says.
    ///
    /// - Throws: What the last attempt threw; `URLError.timedOut` at the policy's deadline,
    ///   `URLError.cancelled` when the task is cancelled.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let timeout else { return try await attempts(request, before: nil) }
        return try await timeout.run { try await attempts(request, before: $0) }
    }

    /// - Parameter deadline: When the last attempt must have started.
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
            if wait > .zero { try? await timeline.sleep(timeline.now() + wait) }
            try Task.checkNotCancelled()
            // The clock may have woken this task late.
            if let deadline, timeline.now() >= deadline { throw URLError(.timedOut) }
            number += 1
        }
    }

    /// What the policy is asked about; nil for all that it never tries again.
    private func outcome(
        of result: Result<(Data, HTTPURLResponse), any Error>
    ) -> RetryPolicy.Outcome? {
        switch result {
        case .success((_, let response)):
            // Of most answers, the headers are not read.
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
    /// This session with failures that pass tried again, as a ``RetryPolicy`` says.
    ///
    ///     let session = URLSession.shared.retrying()
    ///
    /// The caller gets what the last attempt gave, answer or error, as it was. A cancelled task
    /// ends its wait at once, and nothing is sent after that.
    ///
    /// - Parameters:
    ///   - policy: What is tried again, how often, and after which waits.
    ///   - clock: The clock that measures the delays and the deadline. A delay is a sleeper on it; the
    ///     deadline is no sleeper that a `MockClock` counts.
    ///   - random: The chance in the waits, from 0 up to 1.
    ///   - now: What a `Retry-After` date is measured from, if the answer has no `Date`.
    public func retrying(
        _ policy: RetryPolicy = .standard, clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> RetryingSession {
        RetryingSession(next: self, policy: policy, clock: clock, random: random, now: now)
    }
}
