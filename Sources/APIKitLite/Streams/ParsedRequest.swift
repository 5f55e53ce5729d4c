import Foundation

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

    /// Calls the closure that accepts or rejects a response.
    // The Swift 6.3 optimizer crashes if it inlines the closure into an asynchronous function.
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
    /// Runs the parser on the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request, which each iterator sends once.
    ///   - parser: A new parser.
    ///   - name: The name of the call in errors and events (the `requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`. The closure is called with an empty body first. If it throws, it is called
    ///     again with the beginning of the body.
    public func stream<Parser: StreamParser>(
        _ request: URLRequest, _ parser: Parser, name: String? = nil,
        redaction: Redaction = .standard,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        }
    ) -> APIStream<ParsedRequest<Parser>> {
        let request = ParsedRequest(
            parser: parser, redaction: redaction, validate: validate, make: { request })
        return APIStream(
            load: Load(request, over: self, type: name), input: (), isConcurrent: false)
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
    /// Runs the parser on the caller's actor. Errors contain the request and the response for which
    /// ``HTTPSession/stream(_:buffering:)`` returned the body. Only one iterator can read the body.
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
        return APIStream(
            load: Load(request, reading: self), input: (), isConcurrent: false, body: self)
    }
}
