import Foundation

/// The bytes of one body that have arrived and wait for the reader.
///
/// The lock of `state` owns everything.
package final class BodyBuffer: BodySource {
    /// The largest number of bytes that wait for the reader of a stream, in this task.
    @TaskLocal package static var limit = 64 * 1024 * 1024

    /// Whether the reader of a stream, in this task, always comes back for more, so that Foundation
    /// on Linux may wait longer for it.
    @TaskLocal static var hasSteadyReader = false

    /// A closure in a struct, because generic storage must not hold a bare closure: see `Locked`.
    private struct Callback: Sendable {
        let call: @Sendable () -> Void
    }

    private struct State {
        var pieces: [Data] = []
        /// The number of bytes in `pieces`.
        var count = 0
        /// The end of the body, which the reader gets after the pieces.
        var ending: Result<Data?, any Error>?
        /// The reader, if it waits.
        var reader: Waiter<Data?>?
        /// Ends the transfer. Nil after the end.
        var cancel: Callback?
        /// Whether the transfer was or must be ended by `cancel`.
        var isCancelled = false
        /// Called when the reader has taken what waited, or when nothing will be taken any more.
        var onTaken: [Callback] = []
        /// Called each time when the reader has taken what waited. Nil after the end.
        var onTake: Callback?

        /// Removes and returns the pieces that wait.
        mutating func takePieces() -> [Data] {
            defer { (pieces, count) = ([], 0) }
            return pieces
        }

        mutating func takeCallbacks() -> [Callback] {
            defer { onTaken = [] }
            return onTaken + [onTake].compactMap(\.self)
        }
    }

    /// The largest number of bytes that may wait.
    let limit: Int
    private let state = Locked(State())

    /// Creates a buffer.
    ///
    /// - Parameter limit: The largest number of bytes that may wait. A value below 1 counts as 1.
    package init(limit: Int = BodyBuffer.limit) {
        self.limit = max(limit, 1)
    }

    /// Sets the function that ends the transfer. It is called at most once, when the reader leaves
    /// or the limit is exceeded: at once, if that has happened.
    package func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.ending == nil { state.cancel = Callback(call: cancel) }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Sets a function that is called each time when the reader has taken what waited, or has left.
    func onTake(_ onTake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.ending == nil { state.onTake = Callback(call: onTake) }
        }
    }

    /// The number of bytes that wait.
    package var count: Int { state.withLock { $0.count } }

    /// Whether the body has ended, so that nothing can be added.
    package var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Whether the transfer was or must be ended, because the reader has left or the limit is exceeded.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Adds a piece. If too many bytes wait then, the body ends with a ``BodyLimitError``.
    ///
    /// One piece may be larger than the limit: it exists already.
    ///
    /// - Parameters:
    ///   - piece: The piece; an empty one is ignored.
    ///   - onTaken: Called when the reader has taken the piece, or when it never will.
    package func append(_ piece: Data, onTaken: (@Sendable () -> Void)? = nil) {
        let (reader, callbacks, cancel) = state.withLock {
            state -> (Waiter<Data?>?, [Callback], Callback?) in
            let taken = onTaken.map { [Callback(call: $0)] } ?? []
            guard state.ending == nil, !piece.isEmpty else { return (nil, taken, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, taken, nil)
            }
            guard state.pieces.isEmpty || state.count + piece.count <= limit else {
                state.ending = .failure(BodyLimitError(limit: limit))
                state.isCancelled = true
                defer { (state.cancel, state.onTake) = (nil, nil) }
                return (nil, taken, state.cancel)
            }
            state.pieces.append(piece)
            state.count += piece.count
            state.onTaken += taken
            return (nil, [], nil)
        }
        // First, because the reader may leave as soon as it has the piece.
        for callback in callbacks { callback.call() }
        reader?.end(with: .success(piece))
        cancel?.call()
    }

    /// Ends the body after what was added. A second call does nothing.
    ///
    /// - Parameter error: The error that ended it, or nil if it is complete.
    package func finish(throwing error: (any Error)? = nil) {
        let ending: Result<Data?, any Error> = error.map { .failure($0) } ?? .success(nil)
        let reader = state.withLock { state -> Waiter<Data?>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            (state.cancel, state.onTake) = (nil, nil)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.end(with: ending)
    }

    package func next() async throws -> Data? {
        let (pieces, ending, reader, callbacks) = state.withLock {
            state -> ([Data], Result<Data?, any Error>?, Waiter<Data?>?, [Callback]) in
            if state.count > 0 { return (state.takePieces(), nil, nil, state.takeCallbacks()) }
            if let ending = state.ending { return ([], ending, nil, []) }
            let reader = Waiter<Data?>()
            state.reader = reader
            return ([], nil, reader, [])
        }
        for callback in callbacks { callback.call() }
        if let ending { return try ending.get() }
        // Outside the lock, because it takes milliseconds if much has waited.
        return try await reader?.value() ?? joined(pieces)
    }

    package func end(throwing error: any Error) {
        let (reader, callbacks, cancel) = state.withLock {
            state -> (Waiter<Data?>?, [Callback], Callback?) in
            // Everything has been read, up to the end.
            if state.count == 0, state.ending != nil { return (nil, [], nil) }
            (state.pieces, state.count) = ([], 0)
            // It remains true if the limit was exceeded before.
            state.isCancelled = state.isCancelled || state.ending == nil
            state.ending = .failure(error)
            defer { (state.reader, state.cancel, state.onTake) = (nil, nil, nil) }
            return (state.reader, state.takeCallbacks(), state.cancel)
        }
        reader?.end(with: .failure(error))
        for callback in callbacks { callback.call() }
        cancel?.call()
    }
}

/// Joins the pieces of a body. Returns nil if there are none.
private func joined(_ pieces: [Data]) -> Data? {
    guard pieces.count > 1 else { return pieces.first }
    var joined = Data(capacity: pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { joined.append(piece) }
    return joined
}
