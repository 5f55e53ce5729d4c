import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Counts exchanges, measures them and tells a closure: see ``HTTPSession/observed(by:)``.
///
/// It is an object, so that several chains may share one count.
public final class ExchangeObserver: Sendable {
    private let timeline: Timeline
    private let count = Locked(0)
    private let onEvent: @Sendable (ExchangeEvent) -> Void

    /// An observer that has seen nothing yet.
    ///
    /// - Parameters:
    ///   - clock: What measures the durations.
    ///   - onEvent: Called in the task of the exchange, which waits for it; calls may overlap.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) {
        timeline = Timeline(clock)
        self.onEvent = onEvent
    }

    func observe(
        _ request: URLRequest, on session: any HTTPSession
    ) async throws -> (Data, HTTPURLResponse) {
        let id = count.withLock { count in
            count += 1
            return count
        }
        onEvent(.started(id: id, request))
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

    func observe(_ error: APIRequestError) {
        onEvent(.rejected(error))
    }
}
