import Foundation

/// An error for a response whose status the request does not accept.
public struct UnacceptableStatusError:
    LocalizedError, CustomStringConvertible, Equatable, Sendable
{
    /// The status code of the response.
    public let statusCode: Int
    /// The ranges of status codes that the request accepts. Empty if unknown.
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

    /// A sentence for the user: `The server responded with 404 (Not Found).`
    public var errorDescription: String? {
        "The server responded with \(HTTPStatus.describe(statusCode))."
    }

    /// A message for a developer: `The server responded with 404 (Not Found). A status in 200..<300 was
    /// expected.`
    public var description: String {
        [errorDescription, expectedStatus].compactMap(\.self).joined(separator: " ")
    }

    /// A sentence with the accepted codes, or `nil` if they are not known.
    var expectedStatus: String? {
        let codes = accepted.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }
        guard let last = codes.last else { return nil }
        let subject = accepted.count == 1 && accepted[0].count > 1 ? "A status in" : "The status"
        let list =
            codes.count == 1 ? last : codes.dropLast().joined(separator: ", ") + " or \(last)"
        return "\(subject) \(list) was expected."
    }
}
