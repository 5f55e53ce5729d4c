import Foundation

/// A parsed value together with the response that it was parsed from.
public struct APIResponse<Value> {
    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The body of the response, as the session returned it.
    public let data: Data

    /// The status and the headers: `response.http.value(forHTTPHeaderField: "ETag")`.
    public let http: HTTPURLResponse

    /// Creates a response from its parts.
    ///
    /// - Parameters:
    ///   - value: The parsed value.
    ///   - data: The body that it was parsed from.
    ///   - http: The status and the headers.
    public init(value: Value, data: Data, http: HTTPURLResponse) {
        self.value = value
        self.data = data
        self.http = http
    }
}

extension APIResponse: Sendable where Value: Sendable {}
