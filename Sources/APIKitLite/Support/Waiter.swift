import Foundation

/// One task's wait for a value. It ends exactly once: whoever ends it first counts.
///
/// The value, an error or a cancellation may also come before the task waits.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case open
        case suspended(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    /// Creates a wait that has not ended.
    package init() {}

    /// Whether a result is there.
    package var hasEnded: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    /// Ends the wait.
    ///
    /// - Returns: False if it had ended before. Then nothing changes.
    @discardableResult
    package func end(with result: Result<Value, any Error>) -> Bool {
        let old = state.withLock { state in
            let old = state
            if case .ended = old { return old }
            state = .ended(result)
            return old
        }
        switch old {
        case .open: return true
        case .suspended(let continuation):
            continuation.resume(with: result)
            return true
        case .ended: return false
        }
    }

    /// Suspends until the wait has ended, also in a cancelled task. Only one task may wait.
    ///
    /// - Throws: The error of the result.
    package func value() async throws -> Value {
        // Most exchanges of a test have ended by now.
        if case .ended(let result) = state.withLock({ $0 }) { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
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
    /// - Parameters:
    ///   - cancellation: The result where the task is cancelled before the wait has ended.
    ///   - onCancel: Called if that is the result, before this returns.
    /// - Throws: The error of the result.
    package func value(
        ifCancelled cancellation: @escaping @autoclosure @Sendable () -> Result<Value, any Error>,
        onCancel: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        if case .ended(let result) = state.withLock({ $0 }) { return try result.get() }
        return try await withTaskCancellationHandler {
            try await value()
        } onCancel: {
            if end(with: cancellation()) { onCancel() }
        }
    }
}
