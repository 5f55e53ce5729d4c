import Foundation

/// An error for a stream whose reader was too slow: more bytes waited than the limit allows.
///
/// The reader receives all bytes up to the limit before this error. See
/// ``HTTPSession/bufferingStreams(upTo:)``.
public struct BodyLimitError: LocalizedError, Equatable, Sendable {
    /// The largest number of bytes that could wait.
    public let limit: Int

    /// Creates the error.
    ///
    /// - Parameter limit: The largest number of bytes that could wait.
    public init(limit: Int) {
        self.limit = limit
    }

    /// A sentence that says what happened and what to do.
    public var errorDescription: String? {
        """
        The response came faster than it was read: more than \(byteCount(limit)) waited. Read \
        without long pauses, or let more bytes wait: session.bufferingStreams(upTo:).
        """
    }
}
