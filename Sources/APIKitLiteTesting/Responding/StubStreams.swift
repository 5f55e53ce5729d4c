import APIKitLite
import Foundation

/// The streams of one stub that the test sends.
///
/// `state` has its own lock, under which nothing else is called.
final class StubStreams: Sendable {
    private struct State {
        /// The streams that are open or will be.
        var streams: [ResponseStream] = []
        /// Whether the last stream that closed was closed by its client.
        var hasClientLeft = false
    }

    private let state = Locked(State())
    /// Increases whenever a stream opens or closes.
    private let changes = AwaitableCounter()

    /// Returns the open streams. If there are none, suspends until one opens.
    ///
    /// - Throws: `URLError.networkConnectionLost` if no stream is left because the client of the
    ///   last one has gone; `CancellationError`.
    func open() async throws -> [ResponseStream] {
        while true {
            try Task.checkCancellation()
            let seen = changes.number
            let (streams, hasClientLeft) = state.withLock { ($0.streams, $0.hasClientLeft) }
            let open = streams.filter(\.isOpen)
            if !open.isEmpty { return open }
            if streams.isEmpty, hasClientLeft { throw ResponseStream.clientGone }
            await changes.wait(for: seen + 1)
        }
    }

    /// Adds a stream that is not open yet.
    func add(_ stream: ResponseStream) {
        state.withLock { $0.streams.append(stream) }
    }

    func didOpen() {
        changes.update { $0 += 1 }
    }

    func didClose(_ stream: ResponseStream, byClient: Bool) {
        state.withLock { state in
            state.streams.removeAll { $0 === stream }
            state.hasClientLeft = byClient
        }
        changes.update { $0 += 1 }
    }
}
