import APIKitLite
import Foundation

/// The streams of one stub that the test sends.
///
/// `state` has its own lock, under which only the streams are asked whether they are open, and
/// the stub whether it is released.
final class StubStreams: Sendable {
    private struct State {
        /// The streams that are open or will be.
        var streams: [ResponseStream] = []
        /// Whether the last stream that closed was closed by its client.
        var hasClientLeft = false

        /// The open streams, or an error if none will open; nil while there is one to wait for.
        func open(isReleased: Bool) -> Result<[ResponseStream], any Error>? {
            if streams.contains(where: { $0.isOpening(isReleased: isReleased) }) { return nil }
            let open = streams.filter(\.isOpen)
            if !open.isEmpty { return .success(open) }
            return streams.isEmpty && hasClientLeft ? .failure(ResponseStream.clientGone) : nil
        }
    }

    private let state = Awaitable(State())

    /// Returns the open streams. If there are none, suspends until one opens.
    ///
    /// - Parameter gate: Whether the stub is released.
    /// - Throws: `URLError.networkConnectionLost` if no stream is left because the client of the
    ///   last one has gone; `CancellationError`.
    func open(_ gate: Awaitable<Bool>) async throws -> [ResponseStream] {
        while true {
            try Task.checkCancellation()
            if let open = state.withLock({ $0.open(isReleased: gate.value) }) {
                return try open.get()
            }
            await state.wait { $0.open(isReleased: gate.value) != nil }
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
