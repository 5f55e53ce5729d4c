import Foundation

/// An object that numbers exchanges, measures them and reports them to a closure: see
/// ``HTTPSession/observed(by:)``.
///
/// Several chains may share one observer, and so one count.
public final class ExchangeObserver: Sendable {
    private let timeline: Timeline
    /// The number of exchanges so far, guarded by the lock of `Locked`.
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

    /// Creates an observer that reports each event as one line for a log.
    ///
    /// - Parameters:
    ///   - redaction: The secrets that the lines hide, as in
    ///     ``ExchangeEvent/description(redacting:)``.
    ///   - clock: The clock that measures the durations.
    ///   - onLine: Receives the line of each event, as the closure of
    ///     ``init(clock:onEvent:)`` receives the event.
    public convenience init(
        redacting redaction: Redaction, clock: any Clock<Duration> = ContinuousClock(),
        onLine: @escaping @Sendable (String) -> Void
    ) {
        self.init(clock: clock) { onLine($0.description(redacting: redaction)) }
    }

    /// Sends a request over a session and reports the start and the end of the exchange.
    ///
    /// - Throws: The error of the session, after it was reported.
    func observe(
        _ request: URLRequest, on session: any HTTPSession
    ) async throws -> (Data, HTTPURLResponse) {
        let exchange = Exchange(of: request, on: self)
        let (data, response) = try await exchange.reportingFailure {
            try await session.exchange(request)
        }
        onEvent(
            .answered(
                id: exchange.id, request, status: response.statusCode, bytes: data.count,
                after: exchange.duration))
        return (data, response)
    }

    /// Opens a stream on a session, and reports the start, the headers and the end.
    ///
    /// - Throws: The error of the session, after it was reported.
    func observeStream(
        _ request: URLRequest, on session: any HTTPSession
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let exchange = Exchange(of: request, on: self)
        let (body, response) = try await exchange.reportingFailure {
            try await session.stream(request)
        }
        onEvent(
            .opened(
                id: exchange.id, request, status: response.statusCode, after: exchange.duration))
        let bytes = Locked(0)
        let observed = body.observed { [onEvent] event in
            switch event {
            case .piece(let piece): bytes.withLock { $0 += piece.count }
            case .end(let ending):
                onEvent(
                    .closed(
                        id: exchange.id, request, bytes: bytes.withLock { $0 }, ending,
                        after: exchange.duration))
            }
        }
        return (observed, response)
    }

    /// A counted exchange, whose start was reported.
    private struct Exchange {
        let id: Int
        private let request: URLRequest
        private let observer: ExchangeObserver
        private let began: Duration

        init(of request: URLRequest, on observer: ExchangeObserver) {
            id = observer.count.withLock { count in
                count += 1
                return count
            }
            self.request = request
            self.observer = observer
            observer.onEvent(.started(id: id, request))
            began = observer.timeline.now()
        }

        /// The time since the start.
        var duration: Duration { observer.timeline.now() - began }

        /// Returns what the work returns. Reports its error.
        func reportingFailure<T>(_ work: () async throws -> T) async throws -> T {
            do {
                return try await work()
            } catch {
                observer.onEvent(.failed(id: id, request, error, after: duration))
                throw error
            }
        }
    }

    /// Reports a load that rejected its response.
    func observe(_ error: APIRequestError) {
        onEvent(.rejected(error))
    }
}
