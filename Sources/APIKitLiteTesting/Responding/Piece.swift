import Foundation

/// A piece of a body on its way to the client.
struct Piece: Sendable {
    let data: Data
    /// How far a piece is that something waits for.
    enum Progress: Sendable {
        /// The client will take the piece, even if it leaves in the meantime.
        case certain
        /// The client has taken the piece.
        case taken
    }

    /// Receives the progress; nil if nothing waits for it.
    private let onProgress: (@Sendable (Progress) -> Void)?

    init(_ data: Data, onProgress: (@Sendable (Progress) -> Void)? = nil) {
        self.data = data
        self.onProgress = onProgress
    }

    /// Whether something waits until the client has taken the piece.
    var isAwaited: Bool { onProgress != nil }

    /// Records that the client is about to take the piece. A transport calls it if the client may
    /// leave between the moment at which it has the piece and `didTake()`.
    func willTake() {
        onProgress?(.certain)
    }

    /// Records that the client has taken the piece. A transport calls it once; if the client leaves
    /// before, it cancels the request instead.
    func didTake() {
        onProgress?(.taken)
    }
}
