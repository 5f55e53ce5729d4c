import Foundation

/// A session that reports its exchanges to an observer: see ``HTTPSession/observed(by:)``.
public struct ObservedSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    let observer: ExchangeObserver

    /// Sends the request, and reports the start and the end to the observer; for a stream, the
    /// headers too.
    public func send(
        _ request: URLRequest, awaiting part: ResponsePart
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await observer.observe(request, awaiting: part, on: next)
    }

    /// Reports a rejected response to the observer, and then to the wrapped session.
    ///
    /// - Parameter error: The error of the load.
    public func loadDidFail(_ error: APIRequestError) {
        observer.observe(error)
        next.loadDidFail(error)
    }
}

extension HTTPSession {
    /// Returns a session that reports each exchange, and each response that a load rejects, to a
    /// closure.
    ///
    ///     let session = URLSession.shared.observed { print($0) }
    ///     // #1 GET https://api.example.com/users/42
    ///     // #1 GET https://api.example.com/users/42: 200 (OK), 15 bytes, 0.030 s
    ///
    /// The order in a chain matters. In `observed { … }.retrying()` the closure receives each
    /// attempt. In `retrying().observed { … }` it receives all attempts as one exchange.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures the durations.
    ///   - onEvent: Receives each event. It is called in the task of the exchange, which continues
    ///     when it returns. Calls of concurrent exchanges may overlap.
    ///     The end of a stream is reported in the task that reads the body, or where the body is
    ///     released.
    /// - Returns: A session that wraps this one.
    public func observed(
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> ObservedSession {
        observed(by: ExchangeObserver(clock: clock, onEvent: onEvent))
    }

    /// Returns a session that reports each exchange, and each response that a load rejects, to a
    /// closure as one line for a log.
    ///
    ///     let session = URLSession.shared.observed(redacting: .standard.adding("birthday")) { line in
    ///         print(line)
    ///     }
    ///
    /// - Parameters:
    ///   - redaction: The secrets that the lines hide, as in
    ///     ``ExchangeEvent/description(redacting:)``.
    ///   - clock: The clock that measures the durations.
    ///   - onLine: Receives the line of each event, as the closure of `observed(clock:onEvent:)`
    ///     receives the event.
    /// - Returns: A session that wraps this one.
    public func observed(
        redacting redaction: Redaction, clock: any Clock<Duration> = ContinuousClock(),
        onLine: @escaping @Sendable (String) -> Void
    ) -> ObservedSession {
        observed(by: ExchangeObserver(redacting: redaction, clock: clock, onLine: onLine))
    }

    /// Returns a session that reports its exchanges to an observer, which other chains may share.
    ///
    /// - Parameter observer: The observer that numbers and reports the exchanges.
    /// - Returns: A session that wraps this one.
    public func observed(by observer: ExchangeObserver) -> ObservedSession {
        ObservedSession(next: self, observer: observer)
    }
}
