import Foundation

/// A `URLRequest` and the closures that validate and parse its response: the request type of the
/// verbs that take a `URLRequest` and a closure.
struct URLRequestCall<Output>: APIRequest, Sendable {
    let request: URLRequest
    let redaction: Redaction
    let validate: @Sendable (Data, HTTPURLResponse) throws -> Void
    let parse: @Sendable (Data, HTTPURLResponse) throws -> Output

    func makeRequest(from _: Void) -> URLRequest { request }

    // The optimizer of Swift 6.3 crashes if it inlines the closure into an asynchronous function.
    @inline(never)
    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }

    func parseResponse(data: Data, response: HTTPURLResponse) throws -> Output {
        try parse(data, response)
    }

    func parseResponse(data: Data) throws -> Output { try parse(data, .status(200)) }
}

/// A `URLRequest` whose response is decoded from JSON.
///
/// It is no ``URLRequestCall``, because a closure that decodes a type of the main actor is not
/// `Sendable`.
struct DecodedURLRequestCall<Output: Decodable>: APIRequest {
    typealias ResponseDataType = Output

    let request: URLRequest
    let jsonDecoder: JSONDecoder
    let redaction: Redaction
    let validate: @Sendable (Data, HTTPURLResponse) throws -> Void

    func makeRequest(from _: Void) -> URLRequest { request }

    @inline(never)  // As above.
    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }
}

extension DecodedURLRequestCall: Sendable where Output: SendableMetatype {}
