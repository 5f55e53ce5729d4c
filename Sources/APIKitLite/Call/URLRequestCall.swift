import Foundation

/// The request type behind `load` and `response` for a `URLRequest`, with closures that validate
/// and parse the response.
struct URLRequestCall<Output>: APIRequest {
    let request: URLRequest
    let redaction: Redaction
    let validate: @Sendable (Data, HTTPURLResponse) throws -> Void
    let parse: (Data, HTTPURLResponse) throws -> Output

    func makeRequest(from _: Void) -> URLRequest { request }

    // The Swift 6.3 optimizer crashes if it inlines a closure into an asynchronous function.
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
