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
        let ranges = accepted.isEmpty ? [200..<300] : accepted.map(\.statusCodes)
        guard ranges.contains(where: { $0.contains(statusCode) }) else {
            throw UnacceptableStatus(statusCode: statusCode, accepted: ranges)
        }
    }
}

/// Status codes that a request accepts: one code, such as `304`, or a range, such as `200..<300`.
public protocol StatusCodes: Sendable {
    /// The codes as a range.
    var statusCodes: Range<Int> { get }
}

extension Int: StatusCodes {
    /// The range of this one code.
    public var statusCodes: Range<Int> { (self...self).statusCodes }
}

extension Range: StatusCodes where Bound == Int {
    /// The range itself.
    public var statusCodes: Range<Int> { self }
}

extension ClosedRange: StatusCodes where Bound == Int {
    /// The same codes as a half-open range.
    public var statusCodes: Range<Int> {
        lowerBound..<(upperBound == .max ? .max : upperBound + 1)
    }
}

extension HTTPURLResponse {
    /// A response with the status 200 and without headers, for the parsing of a body alone.
    static var withoutHeaders: HTTPURLResponse {
        // The initializer fails only on Apple platforms, and only for a URL that cannot be used.
        HTTPURLResponse(
            url: URL(filePath: "/"), statusCode: 200, httpVersion: nil, headerFields: nil)!
    }
}
