import APIKitLite
import Foundation

/// Tells the sender of a piece of a body when the client has received the piece.
final class Receipt: Sendable {
    private enum State {
        case open
        /// The piece counts as received even if the client leaves now.
        case certain
        case taken
        case left

        var isEnd: Bool { self == .taken || self == .left }
    }

    private let state = Monitor(State.open)

    /// Whether the client has the piece or has left.
    var hasEnded: Bool { state.value.isEnd }

    /// Records that the client is about to take the piece. A transport calls this method before
    /// `didTake()` if the piece may cause the client to leave.
    func willTake() {
        state.withLock { if $0 == .open { $0 = .certain } }
    }

    /// Records that the client has the piece. A transport calls this method once. If the client
    /// leaves earlier, the transport cancels the request instead.
    func didTake() {
        state.update { if !$0.isEnd { $0 = .taken } }
    }

    /// Records that the client has left, unless the piece counts as received.
    func didLeave() {
        state.update { if !$0.isEnd { $0 = $0 == .certain ? .taken : .left } }
    }

    /// Calls back when the client has the piece or has left.
    func whenEnded(_ call: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        state.when({ $0.isEnd }, call)
    }

    /// Suspends until the client has the piece or has left, or until the task is cancelled.
    func wait() async {
        await state.wait { $0.isEnd }
    }

    /// Whether the client has the piece or will certainly receive the piece.
    var isTaken: Bool { [.taken, .certain].contains(state.value) }

    static var clientGone: URLError { URLError(.networkConnectionLost) }
}
