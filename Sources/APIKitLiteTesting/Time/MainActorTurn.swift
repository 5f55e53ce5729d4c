import APIKitLite

/// Shows whether the main actor runs the jobs that it gets.
final class MainActorTurn: Sendable {
    private let taken = Locked(true)

    /// Whether the main actor has come to the last request.
    var isTaken: Bool { taken.withLock { $0 } }

    /// Asks the main actor for a turn. It must have come to the last request.
    func request() {
        taken.withLock { $0 = false }
        Task { @MainActor in taken.withLock { $0 = true } }
    }
}
