import Foundation

/// A description of one HTTP API call: how to make its request and how to parse its response.
///
/// Code that builds a URL, runs a task and decodes JSON in one place can only be tested over a
/// network. With this protocol, making a request and parsing a response are pure functions, so a
/// unit test calls them directly. An ``APIRequestLoader`` connects them to a session. The pattern
/// comes from WWDC 2018 session 417, "Testing Tips & Tricks".
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
/// If the output is `Decodable` (parsed as JSON), `Data` or `Void`, only ``makeRequest(from:)`` is
/// required. Without `parseResponse`, declare the output with `typealias ResponseDataType = User`.
///
/// - Important: The compiler matches the functions of this protocol by their full names.
///   `parseResponse(_ data:)`, without the label, is a different function, and the default is
///   called instead of it. Declare the conformance in an extension, so that the compiler warns
///   about most such mistakes. If the output is neither `Decodable`, `Data` nor `Void`, a request
///   that implements `parseResponse(data:response:)` must implement `parseResponse(data:)` too.
public protocol APIRequest<RequestDataType, ResponseDataType> {
    /// The input of the request. `Void` if the request needs none.
    associatedtype RequestDataType

    /// The output, which is parsed from the response.
    associatedtype ResponseDataType

    /// Returns the request for an input.
    ///
    /// Nothing is sent, and the same input always produces the same request.
    ///
    /// - Throws: Any error if no request can be made from the input. The load then fails in stage
    ///   ``APIRequestError/Stage/makeRequest``.
    func makeRequest(from data: RequestDataType) throws -> URLRequest

    /// Checks whether a response is acceptable. By default, its status must be in `200..<300`.
    ///
    /// Your implementation replaces the default. To check the status as well, your implementation
    /// can call `try response.validateStatus(200..<300, 304)`, with the codes to accept.
    ///
    /// A load passes the whole body. A stream or a download passes empty data when the headers
    /// arrive. If the function then throws, it is called again with the beginning of the body, so
    /// that its error can quote the server's message.
    ///
    /// - Throws: Any error if the response is not acceptable. The default implementation throws
    ///   ``UnacceptableStatusError``. The load then fails in stage
    ///   ``APIRequestError/Stage/validate``.
    func validateResponse(data: Data, response: HTTPURLResponse) throws

    /// Parses an accepted response. Implement this function if the output depends on the headers or
    /// status.
    ///
    /// By default, calls ``parseResponse(data:)``.
    ///
    /// - Throws: Any error if the response cannot be parsed. The load then fails in stage
    ///   ``APIRequestError/Stage/parse``.
    func parseResponse(data: Data, response: HTTPURLResponse) throws -> ResponseDataType

    /// Parses an accepted response's body.
    ///
    /// The default depends on the output: it decodes JSON with ``jsonDecoder`` if the output is
    /// `Decodable`, returns the body if the output is `Data`, and ignores the body if the output is
    /// `Void`. If the output is optional, an empty body, such as the body of a 204, is decoded as
    /// nil.
    ///
    /// - Throws: Any error if the body cannot be parsed. The load then fails in stage
    ///   ``APIRequestError/Stage/parse``.
    func parseResponse(data: Data) throws -> ResponseDataType

    /// The decoder of the default ``parseResponse(data:)``. By default, a new `JSONDecoder()`.
    var jsonDecoder: JSONDecoder { get }

    /// The secrets to hide in this request's error messages. By default, ``Redaction/standard``.
    ///
    /// To use your own redaction for all your requests, extend a protocol that they conform to:
    ///
    /// ```swift
    /// protocol ShopRequest: APIRequest {}
    ///
    /// extension ShopRequest {
    ///     var redaction: Redaction { .standard.adding("birthday", "X-Customer") }
    /// }
    /// ```
    var redaction: Redaction { get }
}

extension APIRequest {
    /// Accepts the status codes `200..<300`, as `response.validateStatus()` does.
    ///
    /// - Throws: ``UnacceptableStatusError`` for any other status.
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try response.validateStatus()
    }

    /// Parses the body, and ignores the headers and status.
    ///
    /// - Throws: Any error if the body cannot be parsed.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> ResponseDataType {
        try parseResponse(data: data)
    }

    /// A new `JSONDecoder()`.
    public var jsonDecoder: JSONDecoder { JSONDecoder() }

    /// The redaction ``Redaction/standard``.
    public var redaction: Redaction { .standard }
}

extension APIRequest {
    /// Unavailable if the output is neither `Decodable`, `Data` nor `Void`.
    @available(
        *, unavailable,
        message: """
            Implement 'func parseResponse(data: Data) throws -> ResponseDataType', with this label. \
            Only an output that is Decodable, Data or Void is parsed by default.
            """
    )
    public func parseResponse(data: Data) throws -> ResponseDataType {
        fatalError("The compiler lets nothing call this.")
    }
}

extension APIRequest where ResponseDataType: Decodable {
    /// Decodes the body as JSON with ``APIRequest/jsonDecoder``. If the output is optional, an
    /// empty body is decoded as nil.
    ///
    /// - Throws: `DecodingError` if the body does not match the output.
    public func parseResponse(data: Data) throws -> ResponseDataType {
        try jsonDecoder.decode(ResponseDataType.self, fromBody: data)
    }
}

extension APIRequest where ResponseDataType == Data {
    /// Returns the body unchanged.
    public func parseResponse(data: Data) throws -> Data { data }
}

extension APIRequest where ResponseDataType == Void {
    /// Ignores the body.
    public func parseResponse(data: Data) throws {}
}

/// A parsed value and the response that it was parsed from.
public struct APIResponse<Value> {
    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The response's body, as the session returned it.
    public let data: Data

    /// The status and headers. To read a header, call `value(forHTTPHeaderField:)`.
    public let response: HTTPURLResponse
}

extension APIResponse: Sendable where Value: Sendable {}
