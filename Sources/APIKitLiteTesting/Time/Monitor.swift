import APIKitLite
import Foundation

/// A value that tasks and callbacks can wait for, such as how many requests arrived, how often a
/// stub was used, or whether held responses are released.
///
/// A monitor checks conditions while it holds its own lock. Callbacks run outside the lock.
final class Monitor<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let id: Int
        let condition: @Sendable (Value) -> Bool
        let call: @Sendable () -> Void
    }

    private struct State: Sendable {
        var value: Value
        var entries: [Entry] = []
        var lastID = 0
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { withLock { $0 } }

    /// Calls the body with the value while the lock is held. The body must not make a condition
    /// true.
    func withLock<R>(_ body: (inout Value) -> R) -> R {
        state.withLock { body(&$0.value) }
    }

    /// Changes the value while the lock is held, and then calls back for conditions that hold.
    @discardableResult
    func update<R>(_ change: (inout Value) -> R) -> R {
        var due: [Entry] = []
        let result = state.withLock { state in
            let result = change(&state.value)
            guard !state.entries.isEmpty else { return result }
            let value = state.value
            state.entries.removeAll { entry in
                // Each condition is checked once, because a condition that reads more than the
                // value may have a different result later.
                let isDue = entry.condition(value)
                if isDue { due.append(entry) }
                return isDue
            }
            return result
        }
        for entry in due { entry.call() }
        return result
    }

    /// Calls back once, as soon as a condition holds, on the thread that changes the value. If the
    /// condition already holds, calls back immediately and returns nil. Otherwise returns a
    /// function that removes the callback.
    func when(
        _ condition: @escaping @Sendable (Value) -> Bool, _ call: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        let id = state.withLock { state -> Int? in
            guard !condition(state.value) else { return nil }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, condition: condition, call: call))
            return state.lastID
        }
        guard let id else {
            call()
            return nil
        }
        return { [self] in
            state.withLock { state in state.entries.removeAll { $0.id == id } }
        }
    }

    /// Suspends until a condition holds, or until the task is cancelled.
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
        let promise = Promise<Void>()
        let remove = when(condition) { promise.resolve(with: .success(())) }
        defer { remove?() }
        try? await promise.value(ifCancelled: .success(()))
    }

    /// Suspends until a condition holds, even if the task is cancelled.
    func waitEvenIfCancelled(until condition: @escaping @Sendable (Value) -> Bool) async {
        let promise = Promise<Void>()
        _ = when(condition) { promise.resolve(with: .success(())) }
        // The promise never fails.
        try? await promise.value()
    }
}

/// Writes text to standard error in one call, so that the output of parallel tests does not mix.
func writeToStandardError(_ text: String) {
    if StandardError.filters.withLock({ $0.contains { $0(text) } }) { return }
    // If standard error is closed, `write(contentsOf:)` throws an error, whereas `write(_:)` would
    // crash.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

package enum StandardError {
    /// Closures that return whether they have taken a text, for this package's own tests.
    package static let filters = Locked<[@Sendable (String) -> Bool]>([])
}
