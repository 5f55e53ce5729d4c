/// Suspends tasks until it is opened, once.
package final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream<Void>.makeStream()

    package init() {}

    package func open() { continuation.finish() }

    package func wait() async {
        for await _ in stream {}
    }
}
