import Foundation

/// A source that calls a function for each piece.
final class UnfoldingBody: BodySource {
    private struct State {
        /// The end of the body.
        var ending: Result<Data?, any Error>?
        /// The pending call.
        var call: (waiter: Waiter<Data?>, task: Task<Void, Never>?)?
    }

    private let state = Locked(State())
    private let unfold: @Sendable () async throws -> Data?

    init(_ unfold: @escaping @Sendable () async throws -> Data?) {
        self.unfold = unfold
    }

    func next() async throws -> Data? {
        while true {
            let piece = try await nextPiece()
            if piece?.isEmpty != true { return piece }
        }
    }

    /// Calls the function in a task of its own, so that `end(throwing:)` need not wait for it.
    private func nextPiece() async throws -> Data? {
        let waiter = Waiter<Data?>()
        let ending = state.withLock { state in
            if state.ending == nil { state.call = (waiter, nil) }
            return state.ending
        }
        if let ending { return try ending.get() }
        let task = Task { [self] in
            let result = await Result { try await unfold() }
            finish(result, of: waiter)
        }
        let isOver = state.withLock { state in
            state.call?.task = task
            return state.ending != nil
        }
        if isOver { task.cancel() }
        return try await waiter.value()
    }

    private func finish(_ result: Result<Data?, any Error>, of waiter: Waiter<Data?>) {
        state.withLock { state in
            state.call = nil
            if case .success(_?) = result { return }
            state.ending = state.ending ?? result
        }
        waiter.end(with: result)
    }

    func end(throwing error: any Error) {
        let call = state.withLock { state -> (waiter: Waiter<Data?>, task: Task<Void, Never>?)? in
            guard state.ending == nil else { return nil }
            state.ending = .failure(error)
            return state.call
        }
        call?.waiter.end(with: .failure(error))
        call?.task?.cancel()
    }
}
