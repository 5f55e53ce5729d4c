import Foundation

/// The bytes of one body that were received but not yet read.
///
/// The lock of `state` guards all properties that change. While the lock is held, no callback is
/// called, and no continuation is resumed.
package final class BodyBuffer: Sendable {
    private struct State {
        var pieces: [Data] = []
        var count = 0
        var readCount = 0
        /// How the body ended, which the reader learns after the pieces.
        var ending: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        /// The function that ends the transfer. Nil before it is set, and after the body has ended.
        var cancel: (@Sendable () -> Void)?
        /// Whether the transfer was ended early, or must be ended when `onCancel` is called.
        var isCancelled = false

        /// Removes and returns the pieces that have arrived. At the end of the body, returns an
        /// empty array or the body's error. Returns nil if the reader must wait.
        mutating func take() -> Result<[Data], any Error>? {
            guard count > 0 else { return ending.map { $0.map { [] } } }
            defer { (pieces, count) = ([], 0) }
            readCount += count
            return .success(pieces)
        }
    }

    /// The size up to which `append` joins pieces, because each piece has a fixed cost.
    private static let smallPiece = 16 * 1024

    /// The maximum number of unread bytes, unless a single piece has more.
    let limit: Int
    /// Called when the reader has taken bytes or has stopped reading, so that a delayed sender can
    /// continue.
    private let didTake: (@Sendable (BodyBuffer) -> Void)?
    private let state = Locked(State())

    package init(
        limit: Int = SendOptions.standardLimit, didTake: (@Sendable (BodyBuffer) -> Void)? = nil
    ) {
        self.limit = max(limit, 1)
        self.didTake = didTake
    }

    /// Sets the function that ends the transfer. The function is called at most once, when
    /// `end(throwing:)` ends the transfer or the limit is exceeded. If one of these has already
    /// happened, the function is called immediately.
    package func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.ending == nil { state.cancel = cancel }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// The number of unread bytes.
    var count: Int { state.withLock { $0.count } }

    var pieceCount: Int { state.withLock { $0.pieces.count } }

    package var hasEnded: Bool { state.withLock { $0.ending != nil } }

    package var readerState: ReaderState {
        state.withLock { state in
            if state.isCancelled { return .left }
            return state.reader == nil ? .busy : .waiting(afterBytes: state.readCount)
        }
    }

    // MARK: The sender

    /// Adds a piece, unless the piece is empty or the body has ended.
    ///
    /// If the unread bytes exceed the limit, the body ends with ``TransportError/bodyLimit(_:)``. A
    /// single piece is kept even if it exceeds the limit, because it is already in memory.
    package func append(_ piece: Data) {
        let callBack = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.ending == nil, !piece.isEmpty else { return nil }
            if let reader = state.reader.take() {
                state.readCount += piece.count
                return { reader.resume(returning: piece) }
            }
            guard state.pieces.isEmpty || state.count + piece.count <= limit else {
                state.ending = .failure(TransportError.bodyLimit(limit))
                state.isCancelled = true
                return state.cancel.take()
            }
            let last = state.pieces.count - 1
            if last >= 0, state.pieces[last].count + piece.count <= Self.smallPiece {
                state.pieces[last].append(piece)
            } else {
                state.pieces.append(piece)
            }
            state.count += piece.count
            return nil
        }
        callBack?()
    }

    /// Ends the body, with an error if the body is incomplete. Does nothing if the body has ended.
    package func finish(throwing error: (any Error)? = nil) {
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard state.ending == nil else { return nil }
            state.ending = error.map { .failure($0) } ?? .success(())
            state.cancel = nil
            return state.reader.take()
        }
        reader?.resume(with: error.map { .failure($0) } ?? .success(nil))
    }

    // MARK: The reader

    /// Suspends until bytes have arrived, and returns all of them, or nil at the end of the body.
    ///
    /// Only one task may call this function at a time. If that task is cancelled while it waits,
    /// the transfer ends.
    ///
    /// - Throws: The error that ended the body. Every later call throws the same error.
    func next() async throws -> Data? {
        defer { didTake?(self) }
        // Pieces are joined outside the lock, because joining many of them takes milliseconds.
        if let taken = state.withLock({ $0.take() }) { return try joined(taken.get()) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let taken = state.withLock { state in
                    let taken = state.take()
                    if taken == nil { state.reader = continuation }
                    return taken
                }
                if let taken { continuation.resume(with: taken.map(joined)) }
            }
        } onCancel: {
            end(throwing: URLError(.cancelled))
        }
    }

    /// Ends the transfer, and discards unread bytes. A pending call to `next()` and all later calls
    /// throw the error. If the body has ended and no byte is unread, does nothing.
    ///
    /// - Returns: Whether a call to `next()` was pending.
    @discardableResult
    package func end(throwing error: any Error) -> Bool {
        defer { didTake?(self) }
        typealias Step = (CheckedContinuation<Data?, any Error>?, (@Sendable () -> Void)?)
        let (reader, cancel) = state.withLock { state -> Step in
            // The body has ended, and all its bytes have been read or discarded.
            if state.count == 0, state.ending != nil { return (nil, nil) }
            (state.pieces, state.count) = ([], 0)
            // `isCancelled` remains true if the limit was already exceeded.
            state.isCancelled = state.isCancelled || state.ending == nil
            state.ending = .failure(error)
            return (state.reader.take(), state.cancel.take())
        }
        cancel?()
        reader?.resume(throwing: error)
        return reader != nil
    }
}

private func joined(_ pieces: [Data]) -> Data? {
    guard pieces.count > 1 else { return pieces.first }
    var joined = Data(capacity: pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { joined.append(piece) }
    return joined
}

/// What a body's reader is doing.
package enum ReaderState: Equatable, Sendable {
    /// The reader has read this many bytes, which are all that arrived, and is waiting for more.
    case waiting(afterBytes: Int)
    /// The reader has not asked for the next piece.
    case busy
    /// The reader left, or the transfer was ended early for another reason.
    case left
}
