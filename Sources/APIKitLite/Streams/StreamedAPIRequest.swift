import Foundation

/// An API request whose response is a stream of elements, such as events or lines of JSON.
///
/// ``makeParser(for:)`` is required beside ``APIRequest/makeRequest(from:)``. The output is the
/// array of all elements, so the same request can be loaded as a whole, and `parseResponse` tests
/// the parser in a unit test.
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
/// gets an empty body. If it throws, the body is read, at most 1 MiB (1,048,576 bytes) of it, and
/// the function is called again with it, so that its error can describe the body. A timeout with
/// `idle:` limits the time: see ``HTTPSession/timingOut(after:idle:clock:)``.
public protocol StreamedAPIRequest: APIRequest where ResponseDataType == [Parser.Element] {
    /// The parser of a response.
    associatedtype Parser: StreamParser

    /// Returns a new parser for an accepted response.
    ///
    /// The parser may depend on the response: see
    /// ``ServerSentEvents/init(orBodyOf:mediaTypes:longestLine:)`` for an API that answers one
    /// request with JSON or with events.
    ///
    /// - Returns: A parser that has parsed nothing yet.
    /// - Throws: Any error if the response cannot be parsed. The load then fails in stage
    ///   ``APIRequestError/Stage/parse``.
    func makeParser(for response: HTTPURLResponse) throws -> Parser
}

extension StreamedAPIRequest {
    /// Parses a whole body with the parser of ``makeParser(for:)``.
    ///
    /// - Throws: ``StreamError`` if the parser cannot parse the media type of the
    ///   response, or the error of the parser.
    public func parseResponse(data: Data, response: HTTPURLResponse) throws -> [Parser.Element] {
        var parser = try makeParser(for: response)
        try parser.checkContentType(of: response)
        var elements = try parser.parse(data)
        if !parser.isComplete { try parser.finish(into: &elements) }
        return elements
    }

    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: The error of the parser.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }
}

// An array of `Decodable` elements is `Decodable`, so `APIRequest` has a default for it, too.
// Without this third one, the compiler would find the two defaults ambiguous.
extension StreamedAPIRequest where Parser.Element: Decodable {
    /// Parses a whole body as the body of a response with status 200 and without headers.
    ///
    /// - Throws: The error of the parser.
    public func parseResponse(data: Data) throws -> [Parser.Element] {
        try parseResponse(data: data, response: .status(200))
    }
}
