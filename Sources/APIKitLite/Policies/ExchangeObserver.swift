import Foundation

/// An object that numbers exchanges, measures them and reports them to a closure: see
/// ``HTTPSession/observed(by:)``.
///
/// Several chains may share one observer, and so one count.
public final class ExchangeObserver: Sendable {
    private let timeline: Timeline
    private let count = Locked(0)
    private let onEvent: @Sendable (ExchangeEvent) -> Void

    /// Creates an observer whose first exchange has the number 1.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures the durations.
    ///   - onEvent: Receives each event. It is called in the task of the exchange, which continues
    ///     when it returns. Calls of concurrent exchanges may overlap.
    ///     The end of a stream is reported in the task that reads the body, or where the body is
    ///     released.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) {
        timeline = Timeline(clock)
        self.onEvent = onEvent
    }

    func observe(
        _ request: URLRequest, awaiting options: SendOptions, on session: any HTTPSession
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let id = count.withLock { count in
            count += 1
            return count
        }
        let type = options.requestType
        onEvent(.started(id: id, request, type: type))
        let start = timeline.now()
        let duration: @Sendable () -> Duration = { [timeline] in timeline.now() - start }
        do {
            let (body, response) = try await session.send(request, awaiting: options)
            let status = response.statusCode
            if options.bufferLimit == nil {
                onEvent(
                    .answered(
                        id: id, request, status: status, bytes: body.data?.count ?? 0,
                        after: duration(), type: type, response: response))
            } else {
                onEvent(
                    .opened(
                        id: id, request, status: status, after: duration(), type: type,
                        response: response))
                body.onEnd { [onEvent] ending, count in
                    onEvent(
                        .closed(
                            id: id, request, bytes: count, ending, after: duration(), type: type))
                }
            }
            return (body, response)
        } catch {
            onEvent(.failed(id: id, request, error, after: duration(), type: type))
            throw error
        }
    }

    func observe(_ error: APIRequestError) {
        onEvent(.rejected(error))
    }
}

private struct ObservedSession: SessionPolicy {
    let next: any HTTPSession
    let observer: ExchangeObserver

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await observer.observe(request, awaiting: options, on: next)
    }

    func loadDidFail(_ error: APIRequestError) {
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
    ) -> some HTTPSession {
        observed(by: ExchangeObserver(clock: clock, onEvent: onEvent))
    }

    /// Returns a session that reports each exchange, and each response that a load rejects, to a
    /// closure as one line for a log.
    ///
    ///     let session = URLSession.shared
    ///         .observed(redacting: .standard.adding("birthday")) { line in print(line) }
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
    ) -> some HTTPSession {
        observed(clock: clock) { onLine($0.description(redacting: redaction)) }
    }

    /// Returns a session that reports its exchanges to an observer, which other chains may share.
    ///
    /// - Parameter observer: The observer that numbers and reports the exchanges.
    /// - Returns: A session that wraps this one.
    public func observed(by observer: ExchangeObserver) -> some HTTPSession {
        ObservedSession(next: self, observer: observer)
    }
}
