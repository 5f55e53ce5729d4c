import Foundation

/// An API request whose response is a stream of elements, such as events or lines of JSON.
///
/// ``makeParser(for:)`` is required in addition to ``APIRequest/makeRequest(from:)``. The output is
/// an array, so `load` can return all elements together, and a unit test can call `parseResponse`
/// to test the parser.
///
/// ```swift
/// struct ChatRequest: StreamedAPIRequest {
///     let baseURL: URL
///
///     func makeRequest(from question: String) throws -> URLRequest {
///         try URLRequest("POST", baseURL, path: "/chat")
///             .jsonBody(["question": question])
///     }
///
///     func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
///         ServerSentEvents().until(data: "[DONE]").json(Delta.self)
///     }
/// }
///
/// for try await delta in session.stream(ChatRequest(baseURL: baseURL), "Why?") {
///     print(delta.text)
/// }
/// ```
///
/// The status and the headers decide whether a stream is accepted:
/// ``APIRequest/validateResponse(data:response:)`` is called with an empty body. If the function
/// throws, up to 1 MiB (1,048,576 bytes) of the body is read, and the function is called again with
/// these bytes, so that its error can describe the body. If the session returns a complete body,
/// that body is passed instead, in a single call. A timeout with `idle:` limits the wait for each
/// piece of the body: see ``HTTPSession/timingOut(after:idle:clock:)``.
public protocol StreamedAPIRequest: APIRequest where ResponseDataType == [Parser.Element] {
    /// The type of the parser.
    associatedtype Parser: StreamParser

    /// Returns a new parser for an accepted response.
    ///
    /// The parser may depend on the response: see
    /// ``ServerSentEvents/init(orBodyOf:mediaTypes:longestLine:)`` for an API that returns either
    /// JSON or events.
    ///
    /// - Returns: A new parser.
    /// - Throws: Any error if the response cannot be parsed. The request then fails in stage
    ///   ``APIRequestError/Stage/parse``.
    func makeParser(for response: HTTPURLResponse) throws -> Parser
}

extension StreamedAPIRequest {
    /// Parses a whole body with the parser from ``makeParser(for:)``.
    ///
    /// - Throws: An error from ``makeParser(for:)`` or the parser, or ``StreamError`` if the parser
    ///   does not accept the response's media type.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> [Parser.Element] {
        var parser = try acceptingParser(for: response)
        var elements = try parser.parse(data)
        if !parser.isComplete { try parser.finish(into: &elements) }
        return elements
    }

    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: An error from ``makeParser(for:)`` or the parser.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }

    /// Returns a new parser, unless it does not accept the response's media type.
    func acceptingParser(for response: HTTPURLResponse) throws -> Parser {
        let parser = try makeParser(for: response)
        let expected = parser.mediaTypes
        if let found = mediaType(response.value(forHTTPHeaderField: "Content-Type")),
            !expected.isEmpty, !expected.contains(found)
        {
            throw StreamError.unexpectedContentType(found: found, expected: expected)
        }
        return parser
    }
}

// An array of `Decodable` elements is `Decodable`, so `APIRequest` also has a default
// `parseResponse(data:)` for such an array. Without this function, a call would be ambiguous
// between the defaults of the two protocols.
extension StreamedAPIRequest where Parser.Element: Decodable {
    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: An error from ``makeParser(for:)`` or the parser.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }
}

/// A `URLRequest` and the parser for its response.
///
/// This is the request type of the sequence that
/// ``HTTPSession/stream(_:_:name:redaction:validate:)`` or ``HTTPBody/elements(_:redaction:)``
/// returns.
public struct ParsedRequest<Parser: StreamParser>: StreamedAPIRequest {
    var parser: Parser
    /// The secrets to hide in error texts.
    public let redaction: Redaction
    let validate: @Sendable (Data, HTTPURLResponse) throws -> Void
    var make: @Sendable () throws -> URLRequest

    /// Returns the request.
    public func makeRequest(from: Void) throws -> URLRequest { try make() }

    // The Swift 6.3 optimizer crashes if it inlines the closure into an asynchronous function.
    /// Calls the closure that accepts or rejects a response.
    @inline(never)
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }

    /// Returns a copy of the parser.
    public func makeParser(for response: HTTPURLResponse) -> Parser { parser }
}

extension ParsedRequest: Sendable where Parser: Sendable {}

extension HTTPSession {
    /// Returns the elements of the response to a `URLRequest`, delivered as they arrive.
    ///
    ///     let deltas = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
    ///     for try await delta in session.stream(request, deltas) { print(delta.text) }
    ///
    /// The parser runs on the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request, which each iterator sends once.
    ///   - parser: A new parser.
    ///   - name: The name of the call in errors and events (the `requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - validate: A closure that throws if a response is not acceptable. By default, the
    ///     response's status must be in `200..<300`. The closure is called with empty data when the
    ///     headers arrive. If it then throws, it is called again with the beginning of the body, so
    ///     that its error can quote the server's message. If the session returns a complete body,
    ///     the closure is instead called once, with that body.
    public func stream<Parser: StreamParser>(
        _ request: URLRequest, _ parser: Parser, name: String? = nil,
        redaction: Redaction = .standard,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil
    ) -> APIStream<ParsedRequest<Parser>> {
        let request = ParsedRequest(
            parser: parser, redaction: redaction,
            validate: validate ?? { try $1.validateStatus() }, make: { request })
        return APIStream(apiRequest: request, input: (), session: self, requestType: name)
    }
}

extension HTTPBody {
    /// Returns the elements of an open body, for a client that checks the status and the headers
    /// first.
    ///
    ///     let (body, response) = try await session.stream(request)
    ///     try check(response)
    ///     for try await message in body.elements(ServerSentEvents().json(Message.self)) {
    ///         show(message)
    ///     }
    ///
    /// The parser runs on the caller's actor. Errors contain the request that was passed to
    /// ``HTTPSession/stream(_:buffering:)``, and the response that `stream` returned with the
    /// body. Only one iterator can read the body.
    ///
    /// - Parameters:
    ///   - parser: A new parser.
    ///   - redaction: The secrets to hide in error texts.
    public func elements<Parser: StreamParser>(
        _ parser: Parser, redaction: Redaction = .standard
    ) -> APIStream<ParsedRequest<Parser>> {
        let request = ParsedRequest(
            parser: parser, redaction: redaction, validate: { _, _ in },
            make: { URLRequest(url: URL(filePath: "/")) })
        let session = ClosureSession { _ in throw URLError(.unknown) }  // Nothing is sent.
        return APIStream(
            apiRequest: request, input: (), session: session, requestType: nil, body: self)
    }
}
