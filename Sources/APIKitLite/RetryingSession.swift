import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session that sends again what failed for the moment: see
/// ``HTTPSession/retrying(_:clock:random:now:)``.
public struct RetryingSession: SessionPolicy {
    let next: any HTTPSession
    private let policy: RetryPolicy
    private let timeline: Timeline
    private let deadlines: Deadlines?
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
        deadlines = policy.deadline.map { Deadlines($0, after: .seconds(1), on: timeline) }
    }

    /// Sends the request, as often as the policy says.
    ///
    /// - Throws: What the last attempt threw; `URLError.timedOut` at the policy's deadline,
    ///   `URLError.cancelled` when the task is cancelled.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let deadlines else {
            return try await attempts(request) { try? await timeline.sleep($0) }
        }
        return try await deadlines.run { id in
            try await attempts(request) { await deadlines.rest(id, until: $0) }
        }
    }

    private func attempts(
        _ request: URLRequest, rest: (_ until: Duration) async -> Void
    ) async throws -> (Data, HTTPURLResponse) {
        let began = timeline.now()
        var number = 1
        while true {
            let result = await attempt(request)
            guard !Task.isCancelled, let outcome = outcome(of: result),
                let wait = policy.wait(
                    afterAttempt: number, of: request, outcome: outcome,
                    elapsed: timeline.now() - began, now: now(), random: random())
            else { return try result.get() }
            if wait > .zero { await rest(timeline.now() + wait) }
            try Task.checkNotCancelled()
            number += 1
        }
    }

    private func attempt(_ request: URLRequest) async -> Result<
        (Data, HTTPURLResponse), any Error
    > {
        do {
            return .success(try await next.exchange(request))
        } catch {
            return .failure(error)
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
    ///   - clock: What the waits and the deadline are measured on. A wait is one sleeper on it. The
    ///     deadline is none, unless an attempt lasts longer than a second of real time.
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
