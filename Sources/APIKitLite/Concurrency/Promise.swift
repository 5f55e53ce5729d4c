import Foundation

/// One task's wait for a value. Only the first call that ends the wait has an effect.
///
/// `resolve(with:)` can be called before the task calls `value()`.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case suspended(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    package init() {}

    /// The result, or nil before the wait has ended.
    var result: Result<Value, any Error>? {
        state.withLock { if case .ended(let result) = $0 { result } else { nil } }
    }

    package var hasEnded: Bool { result != nil }

    /// Ends the wait. Returns false if the wait had already ended.
    @discardableResult
    package func resolve(with result: Result<Value, any Error>) -> Bool {
        let old = state.withLock { state in
            let old = state
            if case .ended = old { return old }
            state = .ended(result)
            return old
        }
        if case .ended = old { return false }
        if case .suspended(let continuation) = old { continuation.resume(with: result) }
        return true
    }

    /// Suspends until the wait has ended, even if the task is cancelled. Only one task may wait.
    package func value() async throws -> Value {
        // In tests, most waits have ended by now, and need no continuation.
        if let result { return try result.get() }
        return try await suspend()
    }

    private func suspend() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .ended(let result) = state { return result }
                state = .suspended(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Suspends until the wait has ended or the task is cancelled. Only one task may wait.
    ///
    /// If cancellation ended the wait, calls `onCancel` before this function returns or throws the
    /// given result.
    package func value(
        ifCancelled cancellation: @escaping @autoclosure @Sendable () -> Result<Value, any Error>,
        onCancel: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await suspend()
        } onCancel: {
            if resolve(with: cancellation()) { onCancel() }
        }
    }
}
