import APIKitLite
import Foundation

/// Tells the sender of a piece of a body when the client has received the piece.
final class Receipt: Sendable {
    private struct State {
        /// Whether the piece counts as received even if the client leaves now.
        var isCertain = false
        /// Whether the client has the piece; nil until it has the piece or has left.
        var isTaken: Bool?
    }

    private let state = Monitor(State())

    /// Whether the client has the piece or has left.
    var hasEnded: Bool { state.value.isTaken != nil }

    /// Records that the client is about to take the piece. A transport calls this method before
    /// `didTake()` if the piece may cause the client to leave.
    func willTake() {
        state.withLock { $0.isCertain = true }
    }

    /// Records that the client has the piece. A transport calls this method once. If the client
    /// leaves earlier, the transport cancels the request instead.
    func didTake() {
        state.update { $0.isTaken = $0.isTaken ?? true }
    }

    /// Records that the client has left, unless the piece counts as received.
    func didLeave() {
        state.update { $0.isTaken = $0.isTaken ?? $0.isCertain }
    }

    /// Calls back when the client has the piece or has left.
    func whenEnded(_ call: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        state.when({ $0.isTaken != nil }, call)
    }

    /// Suspends until the client has the piece or has left, or until the task is cancelled.
    func wait() async {
        await state.wait { $0.isTaken != nil }
    }

    /// Whether the client has the piece or will certainly receive the piece.
    var isTaken: Bool { state.withLock { $0.isTaken ?? $0.isCertain } }

    static var clientGone: URLError { URLError(.networkConnectionLost) }
}
