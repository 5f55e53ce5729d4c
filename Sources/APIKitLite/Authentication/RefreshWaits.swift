/// Which `Credentials` objects wait for which others at the moment.
///
/// The request of a refresh may need the refresh of other credentials in its chain. If this refresh
/// waits for the first one, directly or through others, neither would ever end.
enum RefreshWaits {
    /// The work that called the code of the app that runs now, such as a closure that loads a token.
    @TaskLocal static var work: (id: ObjectIdentifier, flight: SingleFlight<Void>)?

    /// The `Credentials` object whose work called the code that runs now. A task that the code has
    /// started may go on when the work has ended; it then is not part of it.
    static var current: ObjectIdentifier? {
        work.flatMap { $0.flight.isOver ? nil : $0.id }
    }

    /// One list for the process, because a circle may lead through any credentials. It is nearly
    /// always empty.
    private static let waits = Locked<[(waiting: ObjectIdentifier, awaited: ObjectIdentifier)]>([])

    /// Adds a wait, or returns false if it would never end. Without waiting credentials, returns
    /// true.
    static func begin(_ waiting: ObjectIdentifier?, for awaited: ObjectIdentifier) -> Bool {
        guard let waiting else { return true }
        return waits.withLock { waits in
            // A circle is never added, so the search ends.
            func leads(from start: ObjectIdentifier) -> Bool {
                start == waiting
                    || waits.contains { $0.waiting == start && leads(from: $0.awaited) }
            }
            guard !leads(from: awaited) else { return false }
            waits.append((waiting, awaited))
            return true
        }
    }

    /// Removes a wait that `begin(_:for:)` added.
    static func end(_ waiting: ObjectIdentifier?, for awaited: ObjectIdentifier) {
        guard let waiting else { return }
        waits.withLock { waits in
            let index = waits.firstIndex { $0 == (waiting, awaited) }
            if let index { waits.remove(at: index) }
        }
    }
}
