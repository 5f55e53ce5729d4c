import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `URLSession` was asked to send a request, or to follow a redirect, after it was invalidated.
///
/// On Linux, ``HTTPSession/exchange(_:)`` throws it, where Foundation would end the process. On Apple
/// platforms, Foundation raises an exception.
public struct InvalidatedSessionError: LocalizedError, Equatable, Sendable {
    /// A session that sends nothing any more.
    public init() {}

    /// A sentence that says what to do.
    public var errorDescription: String? {
        "The URLSession was invalidated and sends nothing any more. Make a new one."
    }
}

#if canImport(FoundationNetworking)
extension URLSession {
    /// Whether making a task would end the process. False for a subclass.
    var isInvalidated: Bool {
        guard type(of: self) == URLSession.self, let position = Self.position else { return false }
        return Mirror(reflecting: self).children[position].value as? Bool ?? false
    }

    // To look for the name each time takes four times as long.
    nonisolated(unsafe)  // A constant, of a type that is not marked as Sendable.
        private static let position = Mirror(reflecting: shared).children.firstIndex {
            $0.label == "invalidated"
        }
}
#endif
