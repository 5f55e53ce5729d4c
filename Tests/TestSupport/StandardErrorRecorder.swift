import APIKitLite
import APIKitLiteTesting

/// Takes texts that tests provoke, so that standard error shows only those of faults.
package final class StandardErrorRecorder: Sendable {
    /// The errors of the talk's static handler.
    package static let handlerErrors = StandardErrorRecorder { $0.contains("MockURLProtocol") }
    /// The reports that a recording was written, or was requested under an unknown name.
    package static let recordings = StandardErrorRecorder {
        $0.hasPrefix("Recorded ") || $0.hasPrefix("Not recorded: ")
    }

    /// The reports about what waits, which a busy machine makes of a good test.
    package static let waits = StandardErrorRecorder {
        $0.contains(" has waited for ") || $0.contains(" has slept on a MockClock for ")
    }

    private let recorded = Locked<[String]>([])
    private let paused = Locked(false)

    private init(isTaken: @escaping @Sendable (String) -> Bool) {
        StandardError.filters.withLock { filters in
            filters.append { [recorded, paused] text in
                guard isTaken(text), !paused.withLock({ $0 }) else { return false }
                recorded.withLock { $0.append(text) }
                return true
            }
        }
    }

    /// The texts so far.
    package var texts: [String] { recorded.withLock { $0 } }

    /// Whether the texts go to standard error for now.
    package var isPaused: Bool {
        get { paused.withLock { $0 } }
        set { paused.withLock { $0 = newValue } }
    }

    package func removeAll() { recorded.withLock { $0 = [] } }
}
