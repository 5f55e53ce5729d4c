import Foundation

/// A `URLRequest` and the closures that validate and parse its response: the request type of the
/// verbs that take a `URLRequest`.
struct URLRequestCall<Output>: APIRequest {
    let request: URLRequest
    let redaction: Redaction
    let validate: @Sendable (Data, HTTPURLResponse) throws -> Void
    let parse: (Data, HTTPURLResponse) throws -> Output

    func makeRequest(from _: Void) -> URLRequest { request }

    // The optimizer of Swift 6.3 crashes if it inlines a closure into an asynchronous function.
    @inline(never)
    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try validate(data, response)
    }

    @inline(never)
    func parseResponse(data: Data, response: HTTPURLResponse) throws -> Output {
        try parse(data, response)
    }

    func parseResponse(data: Data) throws -> Output { try parse(data, .status(200)) }
}
