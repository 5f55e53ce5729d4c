import Foundation

/// An API request whose response is a stream of elements, such as events or lines of JSON.
///
/// ``makeParser(for:)`` is required in addition to ``APIRequest/makeRequest(from:)``. The output is
/// an array of all elements, so the same request can be loaded as a whole, and a unit test can call
/// `parseResponse` to test the parser.
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
/// A stream is accepted by its status and headers: ``APIRequest/validateResponse(data:response:)``
/// is called with an empty body. If it throws, up to 1 MiB (1,048,576 bytes) of the body is read,
/// and the function is called again with it, so that its error can describe the body. A timeout
/// with `idle:` limits the wait for each piece of the body: see
/// ``HTTPSession/timingOut(after:idle:clock:)``.
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
    /// - Throws: Any error if the response cannot be parsed. The load then fails in stage
    ///   ``APIRequestError/Stage/parse``.
    func makeParser(for response: HTTPURLResponse) throws -> Parser
}

extension StreamedAPIRequest {
    /// Parses a whole body with the parser from ``makeParser(for:)``.
    ///
    /// - Throws: ``StreamError`` if the parser does not accept the response's media type, or the
    ///   parser's error.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> [Parser.Element] {
        var parser = try makeParser(for: response)
        try parser.checkContentType(of: response)
        var elements = try parser.parse(data)
        if !parser.isComplete { try parser.finish(into: &elements) }
        return elements
    }

    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: The parser's error.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }
}

// An array of `Decodable` elements is `Decodable`, so `APIRequest` also has a default for it.
// Without this third one, the two defaults would be ambiguous.
extension StreamedAPIRequest where Parser.Element: Decodable {
    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: The parser's error.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }
}
