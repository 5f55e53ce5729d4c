import Foundation

/// One place in a limit. It is freed when its last holder releases it.
///
/// After a timeout, the work of an exchange may continue for a while, although its caller no longer
/// waits. So the place belongs to the work and not to its caller: code that leaves work behind
/// retains the permit for that work.
final class Permit: Sendable {
    /// The permit of the work that this task is part of.
    ///
    /// A task that an app starts inside the exchange inherits it too, but does not hold it. Only
    /// retaining makes a holder.
    @TaskLocal static var current: Permit?

    private let semaphore: AsyncSemaphore
    /// The permit of an outer limit. This permit is one of its holders.
    private let outer: Permit?
    /// The number of holders. At zero, the place is free, and the permit is not used again.
    private let holders = Locked(1)

    /// Creates a permit with one holder.
    ///
    /// - Parameter semaphore: The limit. The caller holds it, and the permit will signal it.
    init(_ semaphore: AsyncSemaphore) {
        self.semaphore = semaphore
        outer = Permit.retainCurrent()
    }

    /// Retains and returns the innermost permit of this task that is still held, if there is one.
    static func retainCurrent() -> Permit? {
        var permit = current
        while let candidate = permit {
            if candidate.retain() { return candidate }
            permit = candidate.outer
        }
        return nil
    }

    /// Retains and returns the permit for a place in a limit that the work of this task has, or
    /// returns nil if it has none.
    static func retainPlace(in semaphore: AsyncSemaphore) -> Permit? {
        var permit = current
        while let candidate = permit {
            if candidate.semaphore === semaphore, candidate.retain() { return candidate }
            permit = candidate.outer
        }
        return nil
    }

    /// Removes one holder. If it was the last one, frees the place.
    func release() {
        let isLast = holders.withLock { holders in
            holders -= 1
            return holders == 0
        }
        guard isLast else { return }
        semaphore.signal()
        outer?.release()
    }

    /// Adds a holder, unless the place is already free. Returns whether it did.
    private func retain() -> Bool {
        holders.withLock { holders in
            // A place that was freed may belong to other work by now.
            if holders > 0 { holders += 1 }
            return holders > 0
        }
    }
}
