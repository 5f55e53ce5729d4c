/// Collects events from callbacks on any thread.
package final class Recorder<Event: Sendable>: Sendable {
    private let (stream, continuation) = AsyncStream<Event>.makeStream()

    package init() {}

    package func append(_ event: Event) { continuation.yield(event) }

    /// Suspends until an event satisfies `isLast`, and returns the events up to it.
    package func events(until isLast: (Event) -> Bool) async -> [Event] {
        var events: [Event] = []
        for await event in stream {
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }
}
