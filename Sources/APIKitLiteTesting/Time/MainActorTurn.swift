import APIKitLite

/// Tracks whether the main actor is running jobs.
final class MainActorTurn: Sendable {
    private let taken = Locked(true)

    /// Whether the main actor has run the last request.
    var isTaken: Bool { taken.withLock { $0 } }

    /// Requests a turn of the main actor. Call this only after it has run the last request.
    func request() {
        taken.withLock { $0 = false }
        Task { @MainActor in taken.withLock { $0 = true } }
    }
}
