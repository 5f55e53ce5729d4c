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
        onEvent(ExchangeEvent(.started, id: id, request, type: options.requestType))
        let start = timeline.now()
        let report: @Sendable (ExchangeEvent.Kind, HTTPURLResponse?) -> Void = {
            [onEvent, timeline] kind, response in
            onEvent(
                ExchangeEvent(
                    kind, id: id, request, type: options.requestType, response: response,
                    after: timeline.now() - start))
        }
        do {
            let (body, response) = try await session.send(request, awaiting: options)
            if options.bufferLimit == nil {
                report(.answered(bytes: body.data?.count ?? 0), response)
            } else {
                report(.opened, response)
                body.onEnd { ending, count in report(.closed(bytes: count, ending), nil) }
            }
            return (body, response)
        } catch {
            report(.failed(error), nil)
            throw error
        }
    }

    func observe(_ error: APIRequestError) {
        onEvent(ExchangeEvent(rejected: error))
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
    /// ``ExchangeEvent/description(redacting:)`` hides further secrets.
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

    /// Returns a session that reports its exchanges to an observer, which other chains may share.
    ///
    /// - Parameter observer: The observer that numbers and reports the exchanges.
    /// - Returns: A session that wraps this one.
    public func observed(by observer: ExchangeObserver) -> some HTTPSession {
        ObservedSession(next: self, observer: observer)
    }
}
