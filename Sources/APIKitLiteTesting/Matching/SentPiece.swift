import Foundation

/// A piece of the body of a response, as a mock sent it.
public struct SentPiece: Hashable, Sendable {
    /// The bytes of the piece.
    public let data: Data

    /// When the piece was sent: the time since the network was created, on the network's clock.
    public let time: Duration

    /// The piece as text. Bytes that are not UTF-8 become U+FFFD.
    public var text: String { String(decoding: data, as: UTF8.self) }
}

/// The body that was sent in answer to one request, in bounded memory.
struct SentBody: Sendable {
    /// The most pieces that are kept.
    static let mostPieces = 10_000
    /// The most bytes that are kept.
    static let mostBytes = 1_048_576

    /// The first pieces.
    private(set) var pieces: [SentPiece] = []
    /// The number of pieces that were sent.
    private(set) var pieceCount = 0
    /// The number of bytes that were sent.
    private(set) var byteCount = 0

    init() {}

    /// Creates the record of a body that was given as a whole.
    init(of body: [Data], at time: Duration) {
        for piece in body where !piece.isEmpty { add(piece, at: time) }
    }

    /// Adds a piece. If it exceeds a limit, only counts it and all that follow.
    mutating func add(_ data: Data, at time: Duration) {
        let isComplete = pieces.count == pieceCount
        pieceCount += 1
        byteCount += data.count
        if isComplete, pieceCount <= Self.mostPieces, byteCount <= Self.mostBytes {
            pieces.append(SentPiece(data: data, time: time))
        }
    }
}
