/// Collects what callbacks say, from any thread, and hands it out when there is enough.
package final class Recorder<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    package init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    package func append(_ event: Event) {
        continuation.yield(event)
    }

    /// The events up to the first that is the last.
    package func events(until isLast: (Event) -> Bool) async -> [Event] {
        var events: [Event] = []
        for await event in stream {
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }
}
