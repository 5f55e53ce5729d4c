import Foundation

/// One of the places in a limit. It is given back when nobody holds it any more.
///
/// An exchange that is given up, as at a timeout, may go on for a while. So the place belongs to the
/// work and not to the one who waits for it: whoever leaves work behind retains the permit for it.
final class Permit: Sendable {
    /// The permit that this task's work is done under.
    ///
    /// A task that an app starts inside the exchange inherits it as well. It holds nothing: only
    /// ``retainCurrent()`` does.
    @TaskLocal static var current: Permit?

    private let semaphore: AsyncSemaphore
    /// The permit of a limit outside, which is held as long as this one.
    private let outer: Permit?
    private let holders = Locked(1)

    /// - Parameter semaphore: The limit, in which a place has been taken.
    init(_ semaphore: AsyncSemaphore) {
        self.semaphore = semaphore
        outer = Permit.retainCurrent()
    }

    /// Retains the innermost permit of this task that is still held.
    static func retainCurrent() -> Permit? {
        var permit = current
        while let candidate = permit {
            if candidate.retain() { return candidate }
            permit = candidate.outer
        }
        return nil
    }

    /// Whether this task's work has a place in a limit already.
    static func hasPlace(in semaphore: AsyncSemaphore) -> Bool {
        var permit = current
        while let candidate = permit {
            if candidate.semaphore === semaphore, candidate.holders.withLock({ $0 }) > 0 {
                return true
            }
            permit = candidate.outer
        }
        return false
    }

    func release() {
        let isLast = holders.withLock { holders in
            holders -= 1
            return holders == 0
        }
        guard isLast else { return }
        semaphore.signal()
        outer?.release()
    }

    private func retain() -> Bool {
        holders.withLock { holders in
            // Once given back, the place is somebody else's.
            if holders > 0 { holders += 1 }
            return holders > 0
        }
    }
}
