import Foundation

/// One task's wait for a value. Only the first call that ends the wait has an effect.
///
/// `resolve(with:)` can be called before the task calls `value()`.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        /// The result, or nil before the wait has ended.
        var result: Result<Value, any Error>?
        /// The task that is suspended, if any.
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    package init() {}

    /// The result, or nil before the wait has ended.
    var result: Result<Value, any Error>? { state.withLock { $0.result } }

    package var hasEnded: Bool { result != nil }

    /// Ends the wait. Returns false if the wait had already ended.
    @discardableResult
    package func resolve(with result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            let isFirst = state.result == nil
            if isFirst { state.result = result }
            return (isFirst, state.continuation.take())
        }
        continuation?.resume(with: result)
        return isFirst
    }

    /// Suspends until the wait has ended, even if the task is cancelled. Only one task may wait.
    package func value() async throws -> Value {
        // In tests, most waits have ended by now, and need no continuation.
        if let result { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.continuation = continuation }
                return state.result
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
            try await value()
        } onCancel: {
            if resolve(with: cancellation()) { onCancel() }
        }
    }
}
