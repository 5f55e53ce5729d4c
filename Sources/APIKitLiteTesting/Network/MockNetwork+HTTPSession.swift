import APIKitLite
import Foundation

extension MockNetwork: HTTPSession {
    /// Answers a request in the caller's task, without a `URLSession`.
    ///
    /// This is the fastest way to reach the stubs, and it works where a custom `URLProtocol` does
    /// not, such as on watchOS. This function follows redirects and stores cookies as a
    /// `URLSession` does. The pieces of a stream arrive as the stub sends them.
    ///
    /// - Parameters:
    ///   - request: The request to answer. The request is recorded before this function suspends.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, with the status and headers.
    /// - Throws: The stub's error, or any error thrown by its handler; `URLError.cancelled` if the
    ///   task is cancelled; `URLError.httpTooManyRedirects`; ``MockError`` if nothing answers; the
    ///   stream's error if the request's body cannot be read.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        return try await DirectClient(request, to: core, options).load()
    }
}
