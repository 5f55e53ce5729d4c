import Foundation

/// A session whose exchanges end at a timeout: see ``HTTPSession/timingOut(after:clock:)``.
public struct TimingOutSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    private let timeout: Timeout

    init(next: any HTTPSession, after duration: Duration, clock: any Clock<Duration>) {
        self.next = next
        timeout = Timeout(duration, on: Timeline(clock))
    }

    /// Sends the request, for as long as it may take.
    ///
    /// - Throws: `URLError.timedOut` at the timeout, `URLError.cancelled` when the task is
    ///   cancelled, both at once; else what the session inside throws.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await timeout.run { [next] _ in try await next.exchange(request) }
    }
}

extension HTTPSession {
    /// This session with a limit on the time from the request to the end of the body.
    ///
    ///     let session = URLSession.shared.timingOut(after: .seconds(30)).retrying()
    ///
    /// At the timeout the exchange is cancelled, and its caller goes on at once, even if the
    /// exchange does not heed that. Inside ``retrying(_:clock:random:now:)`` each attempt has this
    /// time; outside it, all of them together with the waits.
    ///
    /// Foundation's own `timeoutInterval` measures the silence between two pieces of an answer. It
    /// is not enforced for custom protocols, and on Linux it fires at once below a second.
    ///
    /// - Parameters:
    ///   - duration: The longest time an exchange may take. Zero or less: each exchange fails with
    ///     `URLError.timedOut`, and nothing is sent.
    ///   - clock: The clock that measures it. A test that moves a `MockClock` waits for the request
    ///     to arrive and then moves the clock: the timeout is on it from the start of the exchange,
    ///     and is no sleeper that `waitForSleepers()` counts.
    public func timingOut(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> TimingOutSession {
        TimingOutSession(next: self, after: duration, clock: clock)
    }
}
