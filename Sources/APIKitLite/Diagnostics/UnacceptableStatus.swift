import Foundation

/// The server answered with a status that the request does not accept.
public struct UnacceptableStatus: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The status code of the answer.
    public let statusCode: Int
    /// The status codes that would have been accepted, if they are a range.
    public let acceptable: Range<Int>?

    /// A status that was not wanted.
    public init(statusCode: Int, acceptable: Range<Int>? = 200..<300) {
        self.statusCode = statusCode
        self.acceptable = acceptable
    }

    /// `The server answered 404 (Not Found); 200..<300 was expected.`
    public var description: String {
        let expectation = acceptable.map { "; \($0) was expected" } ?? ""
        return "The server answered \(HTTPStatus.describe(statusCode))\(expectation)."
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
