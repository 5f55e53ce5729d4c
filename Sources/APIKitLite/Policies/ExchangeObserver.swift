import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        let id = start(request)
        let began = timeline.now()
        do {
            let (data, response) = try await session.exchange(request)
            onEvent(
                .answered(
                    id: id, request, status: response.statusCode, bytes: data.count,
                    after: timeline.now() - began))
            return (data, response)
        } catch {
            onEvent(.failed(id: id, request, error, after: timeline.now() - began))
            throw error
        }
    }

    /// Opens a stream on a session, and reports the start, the headers and the end.
    ///
    /// - Throws: The error of the session, after it was reported.
    func observeStream(
        _ request: URLRequest, on session: any HTTPSession
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let id = start(request)
        let began = timeline.now()
        do {
            let (body, response) = try await session.stream(request)
            onEvent(
                .opened(
                    id: id, request, status: response.statusCode, after: timeline.now() - began))
            let bytes = Locked(0)
            let observed = body.observed { [self] event in
                switch event {
                case .piece(let piece): bytes.withLock { $0 += piece.count }
                case .end(let ending):
                    onEvent(
                        .closed(
                            id: id, request, bytes: bytes.withLock { $0 }, ending,
                            after: timeline.now() - began))
                }
            }
            return (observed, response)
        } catch {
            onEvent(.failed(id: id, request, error, after: timeline.now() - began))
            throw error
        }
    }

    /// Counts an exchange, reports its start, and returns its number.
    private func start(_ request: URLRequest) -> Int {
        let id = count.withLock { count in
            count += 1
            return count
        }
        onEvent(.started(id: id, request))
        return id
    }

    /// Reports a load that rejected its response.
    func observe(_ error: APIRequestError) {
        onEvent(.rejected(error))
    }
}
