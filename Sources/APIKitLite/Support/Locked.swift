import Foundation

/// A value that is only touched while holding its lock.
///
/// `Mutex` needs macOS 15. A closure must be stored inside another value, never alone: reading a
/// bare one out of generic storage wraps it once more each time.
package final class Locked<Value>: @unchecked Sendable {  // `value` only under `lock`.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
