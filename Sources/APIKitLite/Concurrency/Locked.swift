import Foundation

/// A value that is used only while its lock is held.
///
/// `Mutex` would need macOS 15. Store a closure inside another value, never directly, because each
/// read of a closure from generic storage wraps it again.
package final class Locked<Value>: @unchecked Sendable {  // `value` is used only under `lock`.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Calls the body with the value while the lock is held. The body must not lock the value
    /// again.
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked<Int> {
    /// Adds one, and returns the sum.
    @discardableResult
    package func next() -> Int {
        withLock { value in
            value += 1
            return value
        }
    }
}

extension Locked {
    /// Returns the value and replaces it with nil.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        withLock { $0.take() }
    }
}
