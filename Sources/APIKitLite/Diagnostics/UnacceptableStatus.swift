import Foundation

/// The error of a response whose status the request does not accept.
public struct UnacceptableStatus: DescribedError, Equatable, Sendable {
    /// The status code of the response.
    public let statusCode: Int
    /// The ranges of status codes that the request accepts. Empty if they are not known.
    let accepted: [Range<Int>]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - statusCode: The status code of the response.
    ///   - accepted: The ranges that the request accepts. The range of a single code has one
    ///     element.
    public init(statusCode: Int, accepted: [Range<Int>] = [200..<300]) {
        self.statusCode = statusCode
        self.accepted = accepted
    }

    /// The text for a developer: `The server answered 404 (Not Found); 200..<300 was expected.`
    public var description: String {
        let suffix = expectation.map { "; \($0) was expected" } ?? ""
        return "The server answered \(HTTPStatus.describe(statusCode))\(suffix)."
    }

    /// The accepted codes as text, such as `200..<300 or 304`, or `nil` if they are not known.
    private var expectation: String? {
        let codes = accepted.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }
        guard let last = codes.last else { return nil }
        return codes.count == 1 ? last : codes.dropLast().joined(separator: ", ") + " or \(last)"
    }

    var expectedStatus: String? {
        let subject = accepted.count == 1 && accepted[0].count > 1 ? "A status in" : "The status"
        return expectation.map { "\(subject) \($0) was expected." }
    }
}
