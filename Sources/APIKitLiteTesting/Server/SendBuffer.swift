import Foundation

/// Bytes waiting to be sent, without a copy of what is large.
struct SendBuffer {
    enum Progress {
        case empty
        /// More remains; go on when the socket is ready.
        case more
        case failed
    }

    // Below this, one copy costs less than one more call to the system.
    private static let joinLimit = 16 * 1024
    // One fast reader of a large body must not keep everybody else waiting.
    private static let turnLimit = 1024 * 1024

    private var pieces: [Data] = []
    private var current = 0
    /// How much of the current piece has left.
    private var sent = 0

    mutating func append(_ piece: Data) {
        let last = pieces.count - 1
        if last >= current, piece.count < Self.joinLimit, pieces[last].count < Self.joinLimit {
            pieces[last].append(piece)
        } else {
            pieces.append(piece)
        }
    }

    /// Sends as much as the socket takes in one turn.
    mutating func send(through socket: Socket) -> Progress {
        var budget = Self.turnLimit
        while current < pieces.count {
            guard budget > 0 else { return .more }
            let transfer = pieces[current].withUnsafeBytes {
                socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...].prefix(budget)))
            }
            switch transfer {
            case .moved(let count):
                budget -= count
                sent += count
            case .blocked: return .more
            case .finished, .failed: return .failed
            }
            if sent == pieces[current].count {
                // Lets go of the bytes now, not when the last piece has left.
                pieces[current] = Data()
                current += 1
                sent = 0
            }
        }
        pieces.removeAll(keepingCapacity: true)
        current = 0
        return .empty
    }
}
