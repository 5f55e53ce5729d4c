import APIKitLite
import Foundation

/// Why a mock could not answer a request. The request fails with it.
public struct MockError: LocalizedError, RedactedError, Sendable {
    /// What kept the mock from answering.
    public enum Reason: Sendable {
        /// `MockURLProtocol.requestHandler` is not set.
        case noHandler
        /// The handler was replaced or cleared before it was called for this request.
        case handlerReplaced
        /// No stub matches.
        case unmatched
        /// A stub that must never be used matches.
        case forbidden
        /// The stub that matches has given all of its responses.
        case usedUp
        /// The stub that matches was made from something unusable.
        case brokenStub
        /// The network of this session does not exist any more.
        case networkGone
        /// Foundation offers no way to mock this kind of task.
        case unsupportedTask
        /// A `MockURLSession` was made without an answer.
        case noAnswer
    }

    /// What kept the mock from answering.
    public let reason: Reason

    /// What happened and what to do about it.
    public let description: String

    /// The same text.
    public var errorDescription: String? { description }

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
