import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Responds when a test opens its gate, and ignores cancellation.
struct StubbornSession: HTTPSession {
    let arrived = Gate()
    let mayRespond = Gate()
    let wasCancelled = Locked(false)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await withTaskCancellationHandler {
            arrived.open()
            await Task { await mayRespond.wait() }.value
            return try makeResponse(to: request, "late")
        } onCancel: {
            wasCancelled.withLock { $0 = true }
        }
    }
}

/// Passes on requests, and keeps the options with which they were sent.
struct OptionsSession: HTTPSession {
    let next: any HTTPSession
    let options = Locked<[SendOptions]>([])

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        self.options.withLock { $0.append(options) }
        return try await next.send(request, awaiting: options)
    }
}

/// A clock on which no sleep takes real time.
struct ImmediateClock: Clock {
    private let moment = Locked(MockClock.Instant())
    var lateness = Duration.zero
    var now: MockClock.Instant { moment.withLock { $0 } }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {
        moment.withLock { $0 = max($0, deadline.advanced(by: lateness)) }
    }
}

func makeResponse(
    to request: URLRequest, _ text: String = "", status: Int = 200
) throws -> (HTTPBody, HTTPURLResponse) {
    let response = HTTPURLResponse(
        url: try #require(request.url), statusCode: status, httpVersion: nil, headerFields: nil)
    return (HTTPBody(Data(text.utf8)), try #require(response))
}

/// The events that an observed session reported.
struct EventLog: Sendable {
    let list = Locked<[ExchangeEvent]>([])
    var clock: any Clock<Duration> = MockClock()

    var events: [ExchangeEvent] { list.withLock { $0 } }
    var lines: [String] { events.map(\.description) }
}

extension HTTPSession {
    func observed(by log: EventLog) -> some HTTPSession {
        observed(clock: log.clock) { event in log.list.withLock { $0.append(event) } }
    }
}
