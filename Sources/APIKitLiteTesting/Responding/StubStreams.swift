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
        /// The calls that wait for an open stream.
        var waiters: [Waiter<[ResponseStream]>] = []
    }

    private let state = Locked(State())

    /// Returns a waiter that ends with the open streams, as soon as there are any.
    ///
    /// It ends with `URLError.networkConnectionLost` if no stream is left because the client of the
    /// last one has gone.
    func openStreams() -> Waiter<[ResponseStream]> {
        let waiter = Waiter<[ResponseStream]>()
        let streams = state.withLock { state in
            state.waiters.removeAll(where: \.hasEnded)
            state.waiters.append(waiter)
            return state.streams
        }
        // A stream that opens after this ends the waiter itself.
        let open = streams.filter(\.isOpen)
        if !open.isEmpty { waiter.end(with: .success(open)) }
        endIfClientLeft()
        return waiter
    }

    func add(_ stream: ResponseStream) {
        state.withLock { $0.streams.append(stream) }
    }

    func didOpen(_ stream: ResponseStream) {
        for waiter in takeWaiters() { waiter.end(with: .success([stream])) }
    }

    func didClose(_ stream: ResponseStream, byClient: Bool) {
        state.withLock { state in
            state.streams.removeAll { $0 === stream }
            state.hasClientLeft = byClient
        }
        endIfClientLeft()
    }

    private func endIfClientLeft() {
        let isGone = state.withLock { $0.streams.isEmpty && $0.hasClientLeft }
        guard isGone else { return }
        for waiter in takeWaiters() { waiter.end(with: .failure(ResponseStream.clientGone)) }
    }

    private func takeWaiters() -> [Waiter<[ResponseStream]>] {
        state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
    }
}
