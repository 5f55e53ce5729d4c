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
