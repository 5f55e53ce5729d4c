import Foundation

/// An error for a second reader of an ``HTTPBody``.
public struct BodyReadTwiceError: LocalizedError, Equatable, Sendable {
    /// Creates the error.
    public init() {}

    /// A sentence that says what happened and what to do.
    public var errorDescription: String? {
        "The body was read before. Its pieces are not kept: read it in one loop."
    }
}
