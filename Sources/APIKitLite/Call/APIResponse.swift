import Foundation

/// A parsed value and the response that it was parsed from.
public struct APIResponse<Value> {
    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The response's body, as the session returned it.
    public let data: Data

    /// The status and the headers: `user.response.value(forHTTPHeaderField: "ETag")`.
    public let response: HTTPURLResponse
}

extension APIResponse: Sendable where Value: Sendable {}
