import Foundation

/// An error for a request or a redirect on a `URLSession` that was invalidated.
///
/// On Linux, ``HTTPSession/exchange(_:)`` throws it, because Foundation would end the process. On
/// Apple platforms, Foundation raises an exception.
public struct InvalidatedSessionError: LocalizedError, Equatable, Sendable {
    /// Creates the error.
    public init() {}

    /// A sentence that says what happened and what to do.
    public var errorDescription: String? {
        "The URLSession was invalidated and sends nothing any more. Make a new one."
    }
}

#if canImport(FoundationNetworking)
extension URLSession {
    /// Whether the session was invalidated, so that creating a task would end the process. For a
    /// subclass, false.
    var isInvalidated: Bool {
        guard type(of: self) == URLSession.self, let position = Self.position else { return false }
        return Mirror(reflecting: self).children[position].value as? Bool ?? false
    }

    // Stored, because a search for the label in each exchange takes four times as long.
    nonisolated(unsafe)  // A constant of a type that is not marked `Sendable`.
        private static let position = Mirror(reflecting: shared).children.firstIndex {
            $0.label == "invalidated"
        }
}
#endif
