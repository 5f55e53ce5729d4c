import APIKitLite
import Foundation

/// The streams of one stub that the test sends.
///
/// `state` has its own lock, under which only the streams are asked whether they are open.
final class StubStreams: Sendable {
    private struct State {
        /// The streams that are open or will be.
        var streams: [ResponseStream] = []
        /// Whether the last stream that closed was closed by its client.
        var hasClientLeft = false

        var open: [ResponseStream] { streams.filter(\.isOpen) }
        var areAllGone: Bool { streams.isEmpty && hasClientLeft }
    }

    private let state = Awaitable(State())

    /// Returns the open streams. If there are none, suspends until one opens.
    ///
    /// - Throws: `URLError.networkConnectionLost` if no stream is left because the client of the
    ///   last one has gone; `CancellationError`.
    func open() async throws -> [ResponseStream] {
        while true {
            try Task.checkCancellation()
            let (open, areAllGone) = state.withLock { ($0.open, $0.areAllGone) }
            if !open.isEmpty { return open }
            if areAllGone { throw ResponseStream.clientGone }
            await state.wait { !$0.open.isEmpty || $0.areAllGone }
        }
    }

    /// Adds a stream that is not open yet.
    func add(_ stream: ResponseStream) {
        state.withLock { $0.streams.append(stream) }
    }

    func didOpen() {
        state.update { _ in }
    }

    func didClose(_ stream: ResponseStream, byClient: Bool) {
        state.update { state in
            state.streams.removeAll { $0 === stream }
            state.hasClientLeft = byClient
        }
    }
}
