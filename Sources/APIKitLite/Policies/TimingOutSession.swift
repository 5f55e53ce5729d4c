import Foundation

/// A session that ends each exchange at a timeout: see
/// ``HTTPSession/timingOut(after:idle:clock:)``.
public struct TimingOutSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    private let timeout: Timeout
    /// Limits the silence between the pieces of a stream.
    private let idleTimer: DeadlineTimer?

    init(
        next: any HTTPSession, after duration: Duration, idle: Duration?,
        clock: any Clock<Duration>
    ) {
        self.next = next
        let timeline = Timeline(clock)
        timeout = Timeout(duration, on: timeline)
        idleTimer = idle.map { DeadlineTimer($0.clamped, on: timeline) }
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

    /// Opens a stream, and waits for the headers until the timeout, and for each piece until the
    /// idle timeout.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response, and the body. At the idle timeout, the body throws
    ///   `URLError.timedOut`.
    /// - Throws: The same errors as ``exchange(_:)``.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        let (body, response) = try await next.openStream { head in
            try await timeout.run { _ in try await head.exchange(request) }
        }
        guard let idleTimer else { return (body, response) }
        return (body.wrapped { TimedBody($0, timer: idleTimer) }, response)
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
    /// A stream may last for any time: `duration` limits the time until its headers, and `idle` the
    /// time for which the reader waits for the next piece:
    ///
    ///     URLSession.shared.timingOut(after: .seconds(30), idle: .seconds(60))
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
    ///   - idle: The longest time for which the reader of a stream waits for the next piece; nil
    ///     for no limit.
    ///   - clock: The clock that measures the time. A timeout is on the clock from the start of
    ///     the exchange, but `MockClock.waitForSleepers()` does not count it. A test therefore
    ///     waits for the request to arrive, and then moves the clock.
    /// - Returns: A session that wraps this one.
    public func timingOut(
        after duration: Duration, idle: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> TimingOutSession {
        TimingOutSession(next: self, after: duration, idle: idle, clock: clock)
    }
}
