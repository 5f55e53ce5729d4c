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
/// A `Decodable` output is decoded from JSON, a `Data` output is the body, and a `Void` output
/// ignores the body. Any other output needs the closure `parse`.
///
/// Input and output are `Sendable`, so a response is always parsed in the background. In a module
/// whose default isolation is the main actor, declare them as `nonisolated` types.
public struct Endpoint<Input: Sendable, Output: Sendable>: APIRequest, Sendable {
    /// The input of the request. `Void` if it needs no input.
    public typealias RequestDataType = Input

    /// The output, which is parsed from the response.
    public typealias ResponseDataType = Output

    /// The decoder of a `Decodable` output.
    public let jsonDecoder: JSONDecoder

    /// The secrets that the texts of its errors hide.
    public let redaction: Redaction

    private let make: @Sendable (Input) throws -> URLRequest
    private let validate: @Sendable (Data, HTTPURLResponse) throws -> Void
    private let parse: @Sendable (Data, HTTPURLResponse) throws -> Output

    private init(
        jsonDecoder: JSONDecoder, make: @escaping @Sendable (Input) throws -> URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void,
        parse: @escaping @Sendable (Data, HTTPURLResponse) throws -> Output, redaction: Redaction
    ) {
        self.jsonDecoder = jsonDecoder
        self.redaction = redaction
        self.make = make
        self.validate = validate
        self.parse = parse
    }

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
        self.init(
            jsonDecoder: JSONDecoder(), make: makeRequest, validate: validate, parse: parse,
            redaction: redaction)
    }

    /// Calls the closure `makeRequest`.
    ///
    /// - Parameter input: The input.
    /// - Throws: The error of the closure.
    public func makeRequest(from input: Input) throws -> URLRequest {
        try make(input)
    }

    /// Calls the closure `validate`.
    ///
    /// - Parameters:
    ///   - data: The body of the response.
    ///   - response: The status and the headers.
    /// - Throws: The error of the closure.
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }

    /// Parses an accepted response.
    ///
    /// - Parameters:
    ///   - data: The body of the response.
    ///   - response: The status and the headers.
    /// - Throws: The error of the closure `parse`, or `DecodingError`.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> Output {
        try parse(data, response)
    }

    /// Parses a body as the body of a response with status 200 and without headers.
    ///
    /// - Parameter data: The body of the response.
    /// - Throws: The error of the closure `parse`, or `DecodingError`.
    public func parseResponse(data: Data) throws -> Output {
        try parse(data, .withoutHeaders)
    }
}

extension Endpoint where Output: Decodable {
    /// Creates an endpoint whose output is decoded from JSON.
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
        self.init(
            jsonDecoder: jsonDecoder, make: makeRequest, validate: validate,
            parse: { data, _ in try jsonDecoder.decode(Output.self, from: data) },
            redaction: redaction)
    }
}

extension Endpoint where Output == Data {
    /// Creates an endpoint whose output is the body.
    ///
    /// - Parameters:
    ///   - makeRequest: Returns the request for an input.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`.
    ///   - redaction: The secrets that the texts of its errors hide.
    public init(
        _ makeRequest: @escaping @Sendable (Input) throws -> URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        },
        redaction: Redaction = .standard
    ) {
        self.init(
            makeRequest, validate: validate, parse: { data, _ in data }, redaction: redaction)
    }
}

extension Endpoint where Output == Void {
    /// Creates an endpoint that ignores the body.
    ///
    /// - Parameters:
    ///   - makeRequest: Returns the request for an input.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`.
    ///   - redaction: The secrets that the texts of its errors hide.
    public init(
        _ makeRequest: @escaping @Sendable (Input) throws -> URLRequest,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        },
        redaction: Redaction = .standard
    ) {
        self.init(makeRequest, validate: validate, parse: { _, _ in }, redaction: redaction)
    }
}
