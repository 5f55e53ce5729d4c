import Foundation

/// A source that reports what is read from another source.
final class ObservedBody: BodySource {
    enum Event: Sendable {
        /// A piece was read.
        case piece(Data)
        /// The body ended. Nothing follows.
        case end(StreamEnding)
    }

    private let source: any BodySource
    private let onEvent: @Sendable (Event) -> Void
    private let state = Locked(State())

    private struct State {
        /// Whether the reader waits for a piece.
        var isReading = false
        /// The error that has ended the transfer in the meantime.
        var error: (any Error)?
        var hasReportedEnd = false
    }

    init(_ source: any BodySource, onEvent: @escaping @Sendable (Event) -> Void) {
        self.source = source
        self.onEvent = onEvent
    }

    func next() async throws -> Data? {
        state.withLock { $0.isReading = true }
        let result = await Result { try await source.next() }
        switch result {
        case .success(let piece?): onEvent(.piece(piece))
        case .success(nil): report(.complete)
        case .failure(let error): report(error)
        }
        // An error is left here if the piece had arrived before the transfer ended.
        let error = state.withLock { state in
            defer { (state.isReading, state.error) = (false, nil) }
            return state.error
        }
        if let error { report(error) }
        return try result.get()
    }

    /// Ends the transfer. If a reader waits, its task reports the end.
    func end(throwing error: any Error) {
        source.end(throwing: error)
        let isReading = state.withLock { state in
            if state.isReading { state.error = state.error ?? error }
            return state.isReading
        }
        if !isReading { report(error) }
    }

    /// Ends the transfer. The reader's task reports the end in its next call or when it releases
    /// the body.
    func cancel() {
        source.cancel()
        state.withLock { state in
            if state.isReading { state.error = state.error ?? URLError(.cancelled) }
        }
    }

    private func report(_ error: any Error) {
        report((error as? URLError)?.code == .cancelled ? .left : .failed(error))
    }

    /// Reports the end, unless it was reported before.
    private func report(_ ending: StreamEnding) {
        let isFirst = state.withLock { state in
            defer { state.hasReportedEnd = true }
            return !state.hasReportedEnd
        }
        if isFirst { onEvent(.end(ending)) }
    }
}

extension HTTPBody {
    /// Returns a body that reports what is read from this one. The end is reported exactly once.
    func observed(_ onEvent: @escaping @Sendable (ObservedBody.Event) -> Void) -> HTTPBody {
        wrapped { ObservedBody($0, onEvent: onEvent) }
    }
}
