import Foundation

/// The error of a response whose media type its parser cannot parse, such as an HTML page.
public struct UnexpectedContentTypeError:
    LocalizedError, CustomStringConvertible, Equatable, Sendable
{
    /// The media type of the response, in lower case and without parameters.
    public let found: String
    /// The media types that the parser can parse.
    public let expected: [String]

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - found: The media type of the response.
    ///   - expected: The media types that the parser can parse.
    public init(found: String, expected: [String]) {
        self.found = found
        self.expected = expected
    }

    /// The text for a developer: `The answer is text/html; text/event-stream was expected.`
    public var description: String {
        "The answer is \(found); \(expected.joined(separator: " or ")) was expected."
    }

    /// The text for a user.
    public var errorDescription: String? { "The server's answer has an unexpected format." }
}
