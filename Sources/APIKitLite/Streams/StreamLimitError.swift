import Foundation

/// The error of a stream that has a longer line or event than its parser keeps in memory.
public struct StreamLimitError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The parts of a stream whose length is limited.
    public enum Part: Sendable {
        /// One line.
        case line
        /// The data of one event, in all its lines.
        case event
    }

    /// The part that is too long.
    public let part: Part
    /// The number of bytes that it may have.
    public let limit: Int

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - part: The part that is too long.
    ///   - limit: The number of bytes that it may have.
    public init(part: Part, limit: Int) {
        self.part = part
        self.limit = limit
    }

    /// The text for a developer, with the parameter that sets the limit.
    public var description: String {
        let subject =
            switch part {
            case .line: "A line of the stream"
            case .event: "The data of an event"
            }
        return "\(subject) is longer than \(byteCount(limit)), the `longestLine` of its parser."
    }

    /// The text for a user.
    public var errorDescription: String? { "The server's answer is too long." }
}
