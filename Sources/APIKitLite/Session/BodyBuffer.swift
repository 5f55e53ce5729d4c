import Foundation

/// What the reader of a body does.
package enum ReaderState: Equatable, Sendable {
    /// It has taken everything that arrived, so many bytes, and waits for more.
    case waiting(afterBytes: Int)
    /// It has not asked for the next piece.
    case busy
    /// It has left before the end.
    case left
}

/// The bytes of one body that have arrived, and its one reader.
///
/// The lock of `state` owns everything.
package final class BodyBuffer: Sendable {
    /// A function that gets the end of the body, once, and the number of bytes that were read.
    package typealias EndReport = @Sendable (_ ending: StreamEnding, _ byteCount: Int) -> Void

    /// A closure in a struct, because generic storage must not hold a bare closure: see `Locked`.
    private struct Callback: Sendable {
        let call: @Sendable () -> Void
    }

    private struct Report: Sendable {
        let call: EndReport
    }

    private struct State {
        var pieces: [Data] = []
        var count = 0
        var readCount = 0
        /// The end of the body, which the reader gets after the pieces.
        var ending: Result<Data?, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        /// Ends the transfer. Nil after the end.
        var cancel: Callback?
        /// Whether the transfer was or must be ended by `cancel`.
        var isCancelled = false
        /// Called when the reader has taken what waited, or when nothing will be taken any more.
        var onTaken: [Callback] = []
        /// Called each time when the reader asks for bytes. Nil after the end.
        var onRead: Callback?
        /// Called once with the end. Nil after that.
        var onEnd: [Report]? = []
        /// The limits of the time for which the reader waits.
        var idleTimers: [DeadlineTimer] = []
        /// The moments up to which the body of a refused response is read.
        var refusalLimits: [(Timeline, Duration)] = []

        /// Removes what the reader gets now, and returns it with the functions to call. If the
        /// reader has to wait, returns nil.
        mutating func take() -> (pieces: [Data], ending: Result<Data?, any Error>?, [Callback])? {
            guard count > 0 else { return ending.map { ([], $0, []) } }
            defer { (pieces, count, onTaken) = ([], 0, []) }
            readCount += count
            return (pieces, nil, onTaken + [onRead].compactMap(\.self))
        }
    }

    /// A piece up to this size is joined with the previous piece, because each piece has a fixed
    /// cost.
    private static let smallPiece = 16 * 1024

    /// The largest number of bytes that may wait.
    let limit: Int
    private let state = Locked(State())

    package init(limit: Int = SendOptions.standardLimit) {
        self.limit = max(limit, 1)
    }

    /// Sets the function that ends the transfer. It is called at most once, when the reader leaves
    /// or the limit is exceeded: immediately, if that has happened.
    package func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if state.ending == nil { state.cancel = Callback(call: cancel) }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Sets a function that is called each time when the reader asks for bytes: after it has taken
    /// what waited, and when it begins to wait.
    func onRead(_ onRead: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.ending == nil { state.onRead = Callback(call: onRead) }
        }
    }

    /// Adds a function that gets the end of the body: immediately, if it was reported before.
    package func onEnd(_ report: @escaping EndReport) {
        let isOver = state.withLock { state in
            state.onEnd?.append(Report(call: report))
            return state.onEnd == nil
        }
        if isOver { report(.left, 0) }
    }

    /// Adds a limit of the time for which the reader waits for a piece.
    func limitWaits(by timer: DeadlineTimer) {
        state.withLock { $0.idleTimers.append(timer) }
    }

    var refusalLimits: [(Timeline, Duration)] { state.withLock { $0.refusalLimits } }

    /// Adds a moment up to which the body is read for an error, if its response is refused.
    func limitRefusal(to moment: Duration, on timeline: Timeline) {
        state.withLock { $0.refusalLimits.append((timeline, moment)) }
    }

    /// The number of bytes that wait.
    package var count: Int { state.withLock { $0.count } }

    var pieceCount: Int { state.withLock { $0.pieces.count } }

    package var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Whether the transfer was or must be ended, because the reader has left or the limit is
    /// exceeded.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package var readerState: ReaderState {
        state.withLock { state in
            if state.isCancelled { return .left }
            return state.reader == nil ? .busy : .waiting(afterBytes: state.readCount)
        }
    }

    // MARK: The sender

    /// Adds a piece. If too many bytes wait then, the body ends with a
    /// ``TransportError/bodyLimit(_:)``.
    ///
    /// One piece may be larger than the limit: it exists already.
    ///
    /// - Parameters:
    ///   - piece: The piece; an empty one is ignored.
    ///   - onTaken: Called when the reader has taken the piece, or when it never will.
    package func append(_ piece: Data, onTaken: (@Sendable () -> Void)? = nil) {
        typealias Step = (CheckedContinuation<Data?, any Error>?, Bool, Callback?)
        let (reader, isTaken, cancel) = state.withLock { state -> Step in
            guard state.ending == nil, !piece.isEmpty else { return (nil, true, nil) }
            if let reader = state.reader {
                state.reader = nil
                state.readCount += piece.count
                return (reader, true, nil)
            }
            guard state.pieces.isEmpty || state.count + piece.count <= limit else {
                state.ending = .failure(TransportError.bodyLimit(limit))
                state.isCancelled = true
                defer { (state.cancel, state.onRead) = (nil, nil) }
                return (nil, true, state.cancel)
            }
            let last = state.pieces.count - 1
            if last >= 0, state.pieces[last].count + piece.count <= Self.smallPiece {
                state.pieces[last].append(piece)
            } else {
                state.pieces.append(piece)
            }
            state.count += piece.count
            if let onTaken { state.onTaken.append(Callback(call: onTaken)) }
            return (nil, false, nil)
        }
        // First, because the reader may leave as soon as it has the piece.
        if isTaken { onTaken?() }
        reader?.resume(returning: piece)
        cancel?.call()
    }

    /// Ends the body after what was added. A second call does nothing.
    ///
    /// - Parameter error: The error that ended it, or nil if it is complete.
    package func finish(throwing error: (any Error)? = nil) {
        let ending: Result<Data?, any Error> = error.map { .failure($0) } ?? .success(nil)
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { (state.reader, state.cancel, state.onRead) = (nil, nil, nil) }
            return state.reader
        }
        reader?.resume(with: ending)
    }

    // MARK: The reader

    /// Suspends until bytes have arrived, and returns all that wait, or nil at the end.
    ///
    /// - Throws: The error that ended the body, at every later call too;
    ///   ``TransportError/bodyReadTwice`` if another task waits for a piece, which is not affected.
    package func next() async throws -> Data? {
        if Task.isCancelled { cancel() }
        let (taken, timers) = state.withLock { ($0.take(), $0.idleTimers) }
        if let (pieces, ending, callbacks) = taken {
            for callback in callbacks { callback.call() }
            // Outside the lock, because it takes milliseconds if much has waited.
            return try ending.map(reported) ?? joined(pieces)
        }
        let limits = timers.map { timer in
            timer.schedule { [weak self] in self?.end(throwing: URLError(.timedOut)) }.1
        }
        defer { for limit in limits { limit.cancel() } }
        let result = await Result { try await arrival() }
        return switch result {
        case .success(_?), .failure(TransportError.bodyReadTwice): try result.get()
        default: try reported(result)
        }
    }

    private func arrival() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                typealias Step = (Result<Data?, any Error>?, [Callback])
                let (result, callbacks) = state.withLock { state -> Step in
                    if state.reader != nil { return (.failure(TransportError.bodyReadTwice), []) }
                    if let (pieces, ending, callbacks) = state.take() {
                        return (ending ?? .success(joined(pieces)), callbacks)
                    }
                    state.reader = continuation
                    return (nil, [state.onRead].compactMap(\.self))
                }
                for callback in callbacks { callback.call() }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer, and discards the bytes that wait. If the whole body has been read, does
    /// nothing.
    ///
    /// - Parameter error: The error of the pending call of `next()` and of all later ones.
    package func end(throwing error: any Error) {
        if let reader = stop(error) {
            // Its task reports the end.
            reader.resume(throwing: error)
        } else {
            report(error)
        }
    }

    /// Ends the transfer, because the task that reads is cancelled.
    ///
    /// It runs inside `Task.cancel()`, whose caller may hold a lock that an observer needs. So the
    /// reader's task reports the end.
    private func cancel() {
        stop(URLError(.cancelled))?.resume(throwing: URLError(.cancelled))
    }

    /// Ends the transfer with an error, and returns the reader if it waits.
    private func stop(_ error: any Error) -> CheckedContinuation<Data?, any Error>? {
        typealias Step = (CheckedContinuation<Data?, any Error>?, [Callback], Callback?)
        let (reader, callbacks, cancel) = state.withLock { state -> Step in
            // Everything has been read, up to the end.
            if state.count == 0, state.ending != nil { return (nil, [], nil) }
            (state.pieces, state.count) = ([], 0)
            // It remains true if the limit was exceeded before.
            state.isCancelled = state.isCancelled || state.ending == nil
            state.ending = .failure(error)
            defer {
                (state.reader, state.cancel, state.onRead, state.onTaken) = (nil, nil, nil, [])
            }
            return (state.reader, state.onTaken + [state.onRead].compactMap(\.self), state.cancel)
        }
        for callback in callbacks { callback.call() }
        cancel?.call()
        return reader
    }

    // MARK: The end

    private func reported(_ ending: Result<Data?, any Error>) throws -> Data? {
        switch ending {
        case .success: report(.complete)
        case .failure(let error): report(error)
        }
        return try ending.get()
    }

    private func report(_ error: any Error) {
        report((error as? URLError)?.code == .cancelled ? .left : .failed(error))
    }

    private func report(_ ending: StreamEnding) {
        let (reports, count) = state.withLock { state in
            defer { state.onEnd = nil }
            return (state.onEnd ?? [], state.readCount)
        }
        for report in reports { report.call(ending, count) }
    }
}

private func joined(_ pieces: [Data]) -> Data? {
    guard pieces.count > 1 else { return pieces.first }
    var joined = Data(capacity: pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { joined.append(piece) }
    return joined
}

/// How the body of a stream ended.
package enum StreamEnding: Sendable {
    /// The whole body was read.
    case complete
    /// The body ended with an error, such as a lost connection or a timeout.
    case failed(any Error)
    /// The reader left the loop before the end, or its task was cancelled.
    case left
}
