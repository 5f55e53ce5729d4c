import Foundation

/// A piece of a response's body, as a mock sent it.
struct SentPiece: Hashable, Sendable {
    /// The bytes of the piece.
    let data: Data

    /// When the piece was sent, measured on the network's clock from the network's creation; zero
    /// without a clock. In an archived exchange, the time counts from the start of the request.
    let time: Duration
}

/// The body sent in response to one request, kept up to a limit.
struct SentBody: Sendable {
    /// The limits on the pieces and bytes to keep.
    struct Limit {
        var pieces = 10_000
        var bytes = 1_048_576

        /// The limit while recording: 64 MiB.
        static let ofRecording = Limit(pieces: .max, bytes: 64 << 20)
    }

    /// The pieces, up to the limit.
    private(set) var pieces: [SentPiece] = []
    private(set) var pieceCount = 0
    /// The size of everything sent, in bytes.
    private(set) var byteCount = 0

    /// Forgets the pieces, but not their number and size.
    mutating func forgetPieces() { pieces = [] }

    /// Whether every piece is kept.
    var isComplete: Bool { pieces.count == pieceCount }

    /// Adds a piece, unless it is empty. Once a limit is exceeded, pieces are only counted.
    mutating func add(_ data: Data, at time: Duration, limit: Limit) {
        if data.isEmpty { return }
        if isComplete, pieceCount < limit.pieces, byteCount + data.count <= limit.bytes {
            pieces.append(SentPiece(data: data, time: time))
        }
        pieceCount += 1
        byteCount += data.count
    }
}
