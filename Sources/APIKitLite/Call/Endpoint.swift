import Foundation

/// A request made of closures.
///
/// An API with many calls declares them as static members, and a call names the member:
///
/// ```swift
/// extension APIRequest where Self == Endpoint<Int, Order> {
///     static func order(_ base: URL) -> Self {
///         Self { try URLRequest("GET", base, path: "/orders/{id}", ["id": $0]) }
///     }
/// }
///
/// let order = try await session.load(.order(base), 7)
/// ```
///
/// A `Decodable` output is decoded from JSON, and a `Data` output is the body. If the output is
/// optional, an empty body is nil. Any other output needs the closure `parse`. To ignore the body,
/// write `parse: { _, _ in }`.
///
/// A response is parsed in the background. In a module whose default isolation is the main actor,
/// declare the output as a `nonisolated` type; the compiler does not check it. In a generic
/// function whose output may belong to an actor, it is parsed on the caller's actor.
///
/// A `URLRequest` needs no endpoint: `session.load(request, as: Order.self)`.
public struct Endpoint<Input, Output>: APIRequest {
    /// The secrets that the texts of its errors hide.
    public let redaction: Redaction

    private let make: (Input) throws -> URLRequest
    private let validate: (Data, HTTPURLResponse) throws -> Void
    private let parse: (Data, HTTPURLResponse) throws -> Output

    /// Creates an endpoint that parses its responses with a closure.
    ///
    /// - Parameters:
    ///   - makeRequest: Returns the request for an input.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`.
    ///   - parse: Parses the body, status and headers of an accepted response.
    ///   - redaction: The secrets that the texts of its errors hide.
    public init(
        _ makeRequest: @escaping @Sendable (Input) throws -> URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        },
        parse: @escaping @Sendable (Data, HTTPURLResponse) throws -> Output,
        redaction: Redaction = .standard
    ) {
        make = makeRequest
        self.validate = validate
        self.parse = parse
        self.redaction = redaction
    }

    /// Calls the closure `makeRequest`.
    public func makeRequest(from input: Input) throws -> URLRequest {
        try make(input)
    }

    /// Calls the closure `validate`.
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }

    /// Parses an accepted response.
    ///
    /// - Throws: The error of the closure `parse`, or `DecodingError`.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> Output {
        try parse(data, response)
    }

    /// Parses a body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: The error of the closure `parse`, or `DecodingError`.
    public func parseResponse(data: Data) throws -> Output {
        try parse(data, .status(200))
    }
}

extension Endpoint where Input == Void, Output == Data {
    /// Creates an endpoint that is the request of another type for one input, and whose output is
    /// the body.
    ///
    /// It must not leave the caller's actor, since the other request may not be `Sendable`.
    init<R: APIRequest>(erasing request: R, _ input: R.RequestDataType) {
        make = { (_: Void) throws -> URLRequest in try request.makeRequest(from: input) }
        validate = { (data: Data, response: HTTPURLResponse) throws -> Void in
            try request.validateResponse(data: data, response: response)
        }
        parse = { (data: Data, _: HTTPURLResponse) throws -> Data in data }
        redaction = request.redaction
    }
}

extension Endpoint where Output: Decodable {
    /// Creates an endpoint whose output is decoded from JSON, or is the body if it is `Data`.
    ///
    /// - Parameters:
    ///   - jsonDecoder: The decoder of the output. Do not change it later.
    ///   - makeRequest: Returns the request for an input.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`.
    ///   - redaction: The secrets that the texts of its errors hide.
    public init(
        jsonDecoder: JSONDecoder = JSONDecoder(),
        _ makeRequest: @escaping @Sendable (Input) throws -> URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        },
        redaction: Redaction = .standard
    ) {
        make = makeRequest
        self.validate = validate
        parse = { data, _ in try jsonDecoder.decode(Output.self, fromBody: data) }
        self.redaction = redaction
    }
}

extension Endpoint: @unchecked Sendable where Output: SendableMetatype {}  // It decodes anywhere.
