import Foundation

extension HTTPURLResponse {
    /// Checks that the status is in a range, or is another accepted code.
    ///
    /// By default, ``APIRequest/validateResponse(data:response:)`` calls this function without
    /// arguments. To accept other codes, pass them:
    ///
    ///     func validateResponse(data: Data, response: HTTPURLResponse) throws {
    ///         try response.validateStatus(200..<300, 304)
    ///     }
    ///
    /// - Parameters:
    ///   - accepted: The accepted range, such as `200..<300` or `400...404`.
    ///   - others: Other accepted codes.
    /// - Throws: ``UnacceptableStatusError`` for any other status.
    public func validateStatus(
        _ accepted: some RangeExpression<Int> = 200..<300, _ others: Int...
    ) throws(UnacceptableStatusError) {
        try check([accepted.relative(to: 0..<Int.max)] + ranges(others))
    }

    /// Checks that the status is one of the accepted codes: `validateStatus(200, 404)`.
    ///
    /// - Parameters:
    ///   - code: An accepted code.
    ///   - others: Other accepted codes.
    /// - Throws: ``UnacceptableStatusError`` for any other status.
    public func validateStatus(_ code: Int, _ others: Int...) throws(UnacceptableStatusError) {
        try check(ranges([code] + others))
    }

    private func ranges(_ codes: [Int]) -> [Range<Int>] { codes.map { $0..<$0 + 1 } }

    private func check(_ accepted: [Range<Int>]) throws(UnacceptableStatusError) {
        guard accepted.contains(where: { $0.contains(statusCode) }) else {
            throw UnacceptableStatusError(statusCode: statusCode, accepted: accepted)
        }
    }
}

extension HTTPURLResponse {
    /// Returns a response with a status and headers, to test a pure function or parse a saved body.
    ///
    ///     let books = try request.parseResponse(data: data, response: .status(200))
    ///
    /// - Parameters:
    ///   - code: The status.
    ///   - headers: The names and values of the response's headers.
    /// - Returns: A response with a placeholder URL.
    public static func status(
        _ code: Int, headers: [String: String] = [:]
    ) -> HTTPURLResponse {
        // The initializer fails only on Apple platforms, for an invalid URL.
        HTTPURLResponse(
            url: URL(filePath: "/"), statusCode: code, httpVersion: nil, headerFields: headers)!
    }
}

/// An error for a response whose status the request does not accept.
public struct UnacceptableStatusError:
    LocalizedError, CustomStringConvertible, Equatable, Sendable
{
    /// The status code of the response.
    public let statusCode: Int
    /// The ranges of status codes that the request accepts, empty if the ranges are unknown.
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
        "The server responded with \(describe(status: statusCode))."
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
