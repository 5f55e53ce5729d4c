import Foundation

/// A session that ends each exchange at a timeout: see ``HTTPSession/timingOut(after:clock:)``.
public struct TimingOutSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    private let timeout: Timeout

    init(next: any HTTPSession, after duration: Duration, clock: any Clock<Duration>) {
        self.next = next
        timeout = Timeout(duration, on: Timeline(clock))
    }

    /// Sends the request, and waits for the response until the timeout.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response.
    /// - Throws: `URLError.timedOut` at the timeout and `URLError.cancelled` when the task is
    ///   cancelled, in both cases at once; otherwise the error of the wrapped session.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await timeout.run { [next] _ in try await next.exchange(request) }
    }
}

extension HTTPSession {
    /// Returns a session that limits the time from the start of an exchange to the end of the body.
    ///
    ///     let session = URLSession.shared.timingOut(after: .seconds(30)).retrying()
    ///
    /// At the timeout the exchange is cancelled. Its caller receives the error at once, even if the
    /// exchange ignores the cancellation.
    ///
    /// The order in a chain matters. In `timingOut(after: .seconds(30)).retrying()` each attempt
    /// may take 30 seconds. In `retrying().timingOut(after: .seconds(30))` all attempts and delays
    /// together may take 30 seconds.
    ///
    /// Foundation's own `timeoutInterval` limits the time between two parts of a response, not the
    /// whole exchange. It is not enforced for a custom `URLProtocol`, and on Linux a value
    /// below one second fails the request at once.
    ///
    /// - Parameters:
    ///   - duration: The longest time that an exchange may take. If it is zero or negative, nothing
    ///     is sent, and each exchange throws `URLError.timedOut`.
    ///   - clock: The clock that measures the time. The timeout is on the clock from the start of
    ///     the exchange, but `MockClock.waitForSleepers()` does not count it. A test therefore
    ///     waits for the request to arrive, and then moves the clock.
    /// - Returns: A session that wraps this one.
    public func timingOut(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> TimingOutSession {
        TimingOutSession(next: self, after: duration, clock: clock)
    }
}
