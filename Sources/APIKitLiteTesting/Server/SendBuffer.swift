import Foundation

/// A queue of bytes that wait to be sent. It does not copy large pieces.
struct SendBuffer {
    /// The result of sending.
    enum Progress {
        case empty
        /// Bytes remain. Send them when the socket is ready.
        case more
        case failed
    }

    // Bytes. Copying a smaller piece costs less than one more system call.
    private static let joinLimit = 16 * 1024
    // Bytes. One fast reader of a large body must not keep the other connections waiting.
    private static let turnLimit = 1024 * 1024

    private var pieces: [Data] = []
    /// The index of the piece that is being sent.
    private var current = 0
    /// How many bytes of the current piece were sent.
    private var sent = 0

    /// Adds a piece at the end.
    mutating func append(_ piece: Data) {
        let last = pieces.count - 1
        if last >= current, piece.count < Self.joinLimit, pieces[last].count < Self.joinLimit {
            pieces[last].append(piece)
        } else {
            pieces.append(piece)
        }
    }

    /// Sends as many bytes as the socket accepts, up to a limit.
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
                // Frees the bytes now, and not only when the last piece is sent.
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
