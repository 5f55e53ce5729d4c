import Foundation

/// Decides which requests a flaky server does not serve: the first, the fourth, the seventh and so
/// on. The retry of each is one that it serves.
final class Outages: @unchecked Sendable {
    // Safe: `count` is touched only while holding `lock`.
    private let lock = NSLock()
    private var count = 0

    /// Counts a request, and returns whether the server is unavailable for it.
    func next() -> Bool {
        lock.withLock {
            defer { count += 1 }
            return count % 3 == 0
        }
    }
}
