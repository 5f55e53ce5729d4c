import Foundation

/// A parsed value together with the answer it was parsed from.
public struct APIResponse<Value> {
    /// What ``APIRequest/parseResponse(data:response:)`` made of the answer.
    public let value: Value

    /// The body, as it came.
    public let data: Data

    /// The status and the headers: `response.http.value(forHTTPHeaderField: "ETag")`.
    public let http: HTTPURLResponse

    /// Joins a value to its answer.
    public init(value: Value, data: Data, http: HTTPURLResponse) {
        self.value = value
        self.data = data
        self.http = http
    }
}

extension APIResponse: Sendable where Value: Sendable {}
