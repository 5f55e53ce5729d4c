import Foundation

/// The end of one connection of an ``EventStream``.
struct ConnectionEnd: Error {
    let ending: Reconnection.Ending
    /// The error that ended the connection. `nil` if the response was accepted and complete.
    let error: APIRequestError?

    /// Creates the end of a connection without an error.
    init(_ ending: Reconnection.Ending) {
        self.ending = ending
        error = nil
    }

    /// Creates the end of a connection that an error ended.
    init(_ error: APIRequestError) {
        self.error = error
        switch (error.stage, error.response) {
        case (.validate, let response?):
            let headers = response.allHeaderFields as? [String: String]
            ending = .response(status: response.statusCode, headers: headers ?? [:])
        case (.transport, _):
            ending = URLError(from: error.underlying).map { .failure($0.code) } ?? .unusable
        default: ending = .unusable
        }
    }
}
