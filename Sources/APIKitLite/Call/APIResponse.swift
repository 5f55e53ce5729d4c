import Foundation

/// A parsed value together with the response that it was parsed from.
public struct APIResponse<Value> {
    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The body of the response, as the session returned it.
    public let data: Data

    /// The status and the headers: `user.response.value(forHTTPHeaderField: "ETag")`.
    public let response: HTTPURLResponse

    /// Creates a response from its parts.
    ///
    /// - Parameters:
    ///   - value: The parsed value.
    ///   - data: The body that it was parsed from.
    ///   - response: The status and the headers.
    public init(value: Value, data: Data, response: HTTPURLResponse) {
        self.value = value
        self.data = data
        self.response = response
    }
}

extension APIResponse: Sendable where Value: Sendable {}
