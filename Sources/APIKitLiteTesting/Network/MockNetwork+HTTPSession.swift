import APIKitLite
import Foundation

extension MockNetwork: HTTPSession {
    /// Answers a request in the caller's task, without a `URLSession`.
    ///
    /// This is the fastest way to the stubs, and it works where a custom `URLProtocol` does not, as
    /// on watchOS. It follows redirects and stores cookies as a `URLSession` does, and the pieces of
    /// a stream follow as the stub gives them.
    ///
    /// - Parameters:
    ///   - request: The request to answer. It is recorded before this function suspends.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers.
    /// - Throws: The error of the stub or of its handler; `URLError.cancelled` when the task is
    ///   cancelled; `URLError.httpTooManyRedirects`; ``MockError`` when nothing answers; the
    ///   stream's own error when the body of the request cannot be read.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        if let limit = options.bufferLimit {
            return try await core.stream(request, options, buffering: limit)
        }
        let (body, response) = try await core.exchange(request, options)
        return (try HTTPBody(body).limited(by: options), response)
    }
}
