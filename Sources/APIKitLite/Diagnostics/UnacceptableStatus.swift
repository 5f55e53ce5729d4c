import Foundation

/// The error of a response whose status the request does not accept.
public struct UnacceptableStatus: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The status code of the response.
    public let statusCode: Int
    /// The status codes that the request accepts, or `nil` if they are not one range.
    public let acceptable: Range<Int>?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - statusCode: The status code of the response.
    ///   - acceptable: The status codes that the request accepts, or `nil` if they are not one
    ///     range.
    public init(statusCode: Int, acceptable: Range<Int>? = 200..<300) {
        self.statusCode = statusCode
        self.acceptable = acceptable
    }

    /// The text for a developer: `The server answered 404 (Not Found); 200..<300 was expected.`
    public var description: String {
        let expectation = acceptable.map { "; \($0) was expected" } ?? ""
        return "The server answered \(HTTPStatus.describe(statusCode))\(expectation)."
    }

    /// The same text as `description`.
    public var errorDescription: String? { description }
}
