import Foundation

/// A piece of a body on its way to the client.
struct Piece: Sendable {
    let data: Data
    /// Called when the client has taken the piece; nil if nothing waits for that.
    private let onTaken: (@Sendable () -> Void)?

    init(_ data: Data, onTaken: (@Sendable () -> Void)? = nil) {
        self.data = data
        self.onTaken = onTaken
    }

    /// Whether something waits until the client has taken the piece.
    var isAwaited: Bool { onTaken != nil }

    /// Records that the client has taken the piece. A transport calls it once; if the client leaves
    /// before, it cancels the request instead.
    func didTake() {
        onTaken?()
    }
}
