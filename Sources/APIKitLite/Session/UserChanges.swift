/// A count of the user changes in this process. It shows whether the user has changed since a
/// request was made.
enum UserChanges {
    private static let count = Locked(0)

    /// The number of changes so far.
    static var now: Int { count.withLock { $0 } }

    /// Counts a change, and returns the new number.
    static func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
