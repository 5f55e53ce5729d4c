import Foundation

/// A source that limits the time for which the reader waits for the next piece.
final class TimedBody: BodySource {
    private let source: any BodySource
    private let timer: DeadlineTimer

    init(_ source: any BodySource, timer: DeadlineTimer) {
        self.source = source
        self.timer = timer
    }

    func next() async throws -> Data? {
        let (_, limit) = timer.schedule { [source] in source.end(throwing: URLError(.timedOut)) }
        defer { limit.cancel() }
        return try await source.next()
    }

    func end(throwing error: any Error) {
        source.end(throwing: error)
    }

    func cancel() {
        source.cancel()
    }
}
