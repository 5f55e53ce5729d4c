import Foundation

/// What a client of a `URLSession` receives as it is, without an HTTP response or with an error after
/// one. No other client can receive it, so it is an error there.
struct DirectAnswer: Error {
    var response: URLResponse?
    var data: Data?
    /// The error after the response and the data; nil for a regular end.
    var error: (any Error)?

    static let noResponse = DirectAnswer(error: URLError(.badServerResponse))
}
