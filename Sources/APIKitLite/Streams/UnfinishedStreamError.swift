import Foundation

/// The error of a stream that ended without its terminator, so that elements may be missing.
public struct UnfinishedStreamError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The data of the event that ends a whole stream, such as `[DONE]`.
    public let terminator: String
    /// The number of elements before the stream ended.
    public let elementCount: Int

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - terminator: The data of the event that ends a whole stream.
    ///   - elementCount: The number of elements before the stream ended.
    public init(terminator: String, elementCount: Int) {
        self.terminator = terminator
        self.elementCount = elementCount
    }

    /// The text for a developer: `The stream ended after 2 elements, without its terminator
    /// "[DONE]".`
    public var description: String {
        let elements = elementCount == 1 ? "1 element" : "\(elementCount) elements"
        return "The stream ended after \(elements), without its terminator "
            + "\(terminator.debugDescription)."
    }

    /// The text for a user.
    public var errorDescription: String? { "The server's answer ended too early." }
}
