import Foundation

extension HTTPURLResponse {
    /// Checks that the status is one of the accepted codes.
    ///
    /// The default of ``APIRequest/validateResponse(data:response:)`` is this function without an
    /// argument. A request that accepts other codes calls it with them:
    ///
    ///     func validateResponse(data: Data, response: HTTPURLResponse) throws {
    ///         try response.validateStatus(200..<300, 304)
    ///     }
    ///
    /// - Parameter accepted: The accepted codes and ranges of codes. Without any, `200..<300`.
    /// - Throws: ``UnacceptableStatus`` for any other status.
    public func validateStatus(_ accepted: any StatusCodes...) throws(UnacceptableStatus) {
        let ranges = accepted.isEmpty ? [200..<300] : accepted.map(range)
        guard ranges.contains(where: { $0.contains(statusCode) }) else {
            throw UnacceptableStatus(statusCode: statusCode, accepted: ranges)
        }
    }
}

/// Status codes that a request accepts: one code, such as `304`, or a range, such as `200..<300` or
/// `400...404`. No other type may conform.
public protocol StatusCodes: Sendable {}

extension Int: StatusCodes {}
extension Range: StatusCodes where Bound == Int {}
extension ClosedRange: StatusCodes where Bound == Int {}

// Not a requirement of the protocol, which would be a member of each `Int` of an app.
private func range(of codes: any StatusCodes) -> Range<Int> {
    switch codes {
    case let code as Int: range(of: code...code)
    case let codes as ClosedRange<Int>:
        codes.lowerBound..<(codes.upperBound == .max ? .max : codes.upperBound + 1)
    case let codes as Range<Int>: codes
    default:
        preconditionFailure("\(type(of: codes)) must not be StatusCodes. Pass an Int or a range.")
    }
}

extension HTTPURLResponse {
    /// Returns a response with a status and headers, for a pure test or for the parsing of a body
    /// alone.
    ///
    ///     let books = try request.parseResponse(data: data, response: .status(200))
    ///
    /// - Parameters:
    ///   - code: The status.
    ///   - headers: The names and values of its headers.
    /// - Returns: A response whose URL means nothing.
    public static func status(
        _ code: Int, headers: [String: String] = [:]
    ) -> HTTPURLResponse {
        // The initializer fails only on Apple platforms, and only for a URL that cannot be used.
        HTTPURLResponse(
            url: URL(filePath: "/"), statusCode: code, httpVersion: nil, headerFields: headers)!
    }
}
