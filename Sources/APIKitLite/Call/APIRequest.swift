import Foundation

/// Describes one call of an HTTP API as two pure functions: input to request, answer to output.
///
/// Code that builds a URL, runs a task and decodes JSON in one place can only be tested over a
/// network. Here the first and the last part are functions of their arguments, so a unit test calls
/// them directly; an ``APIRequestLoader`` joins them to a session. (WWDC 2018, session 417.)
///
/// ```swift
/// struct UserRequest: APIRequest {
///     let baseURL: URL
///
///     func makeRequest(from id: Int) throws -> URLRequest {
///         try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
///     }
///
///     func parseResponse(data: Data) throws -> User {
///         try jsonDecoder.decode(User.self, from: data)
///     }
/// }
/// ```
///
/// Only ``makeRequest(from:)`` must be written where the output is `Decodable` (JSON), `Data` or
/// `Void`: name the output with `typealias ResponseDataType = User`.
///
/// - Important: The compiler matches these functions by their exact names. `parseResponse(_ data:)`
///   without the label is another function, and the default is called in its place. A request that
///   implements only `parseResponse(data:response:)` for an output that is neither `Decodable`,
///   `Data` nor `Void` must implement `parseResponse(data:)` too.
public protocol APIRequest<RequestDataType, ResponseDataType> {
    /// What a caller puts in. `Void` for a request without input.
    associatedtype RequestDataType

    /// What a caller gets out.
    associatedtype ResponseDataType

    /// Makes the request. Nothing is sent; the same input always gives the same request.
    ///
    /// - Throws: Any error; the load then ends in stage ``APIRequestError/Stage/makeRequest``.
    func makeRequest(from data: RequestDataType) throws -> URLRequest

    /// Decides whether the answer may be parsed. By default, its status must be in `200..<300`.
    ///
    /// - Throws: ``UnacceptableStatus`` by default; the load then ends in stage
    ///   ``APIRequestError/Stage/validate``.
    func validateResponse(data: Data, response: HTTPURLResponse) throws

    /// Parses an accepted answer, for outputs that need its headers or status.
    ///
    /// By default, calls ``parseResponse(data:)``.
    func parseResponse(data: Data, response: HTTPURLResponse) throws -> ResponseDataType

    /// Parses the body of an accepted answer.
    ///
    /// By default, JSON through ``jsonDecoder`` where the output is `Decodable`, the bytes where it
    /// is `Data`, and nothing where it is `Void`.
    func parseResponse(data: Data) throws -> ResponseDataType

    /// The decoder of the default ``parseResponse(data:)``. By default, a new `JSONDecoder()`.
    var jsonDecoder: JSONDecoder { get }
}

extension APIRequest {
    /// Accepts the status codes `200..<300`.
    ///
    /// - Throws: ``UnacceptableStatus`` for any other.
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        let acceptable = 200..<300
        guard acceptable.contains(response.statusCode) else {
            throw UnacceptableStatus(statusCode: response.statusCode, acceptable: acceptable)
        }
    }

    /// Parses the body alone.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> ResponseDataType {
        try parseResponse(data: data)
    }

    /// A new `JSONDecoder()`.
    public var jsonDecoder: JSONDecoder { JSONDecoder() }
}

extension APIRequest where ResponseDataType: Decodable {
    /// Decodes JSON through ``APIRequest/jsonDecoder``.
    public func parseResponse(data: Data) throws -> ResponseDataType {
        try jsonDecoder.decode(ResponseDataType.self, from: data)
    }
}

extension APIRequest where ResponseDataType == Data {
    /// Hands out the bytes as they came.
    public func parseResponse(data: Data) throws -> Data { data }
}

extension APIRequest where ResponseDataType == Void {
    /// Ignores the body.
    public func parseResponse(data: Data) throws {}
}
