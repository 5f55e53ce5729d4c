import Foundation

/// An answer that only a `URLSession` can deliver: a plain `URLResponse`, or an error after a
/// response. For other clients it is an error.
struct DirectAnswer: Error {
    var response: URLResponse?
    var data: Data?
    /// The error after the response and the data; nil for a regular end.
    var error: (any Error)?
}
