enum HTTPMethod {
    /// The methods of RFC 9110 and RFC 5789.
    private static let known = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    /// Returns the method as it is sent: a known one in upper case, any other word unchanged.
    ///
    /// Methods are case-sensitive, and Foundation sends `patch` unchanged.
    ///
    /// - Throws: ``RequestBuildingError/unusableMethod(_:)`` for text that is not one word.
    static func checked(_ method: String) throws -> String {
        guard method.utf8.isHTTPToken else {
            throw RequestBuildingError.unusableMethod(method)
        }
        return known.contains(method.uppercased()) ? method.uppercased() : method
    }
}
