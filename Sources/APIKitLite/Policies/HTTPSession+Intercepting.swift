import Foundation

extension HTTPSession {
    /// Returns a session that passes each request to a closure.
    ///
    /// The closure can change the request or the response, return a response without sending a
    /// request, or send several requests, even from other tasks.
    ///
    ///     let session = URLSession.shared.intercepting { request, next in
    ///         try await next(request.header("Accept-Language", "fr"))
    ///     }
    ///
    /// The closure handles both whole responses and streams. ``HTTPBody/data`` contains the bytes
    /// of a whole response. If a stream's body comes in pieces, `data` is nil, and the reader of
    /// the returned body receives the pieces.
    ///
    /// - Parameter intercept: Receives the request and a function that sends a request over this
    ///   session. The closure runs in the caller's task, so cancelling that task cancels the
    ///   closure's work. Calls for concurrent requests may overlap.
    public func intercepting(
        _ intercept:
            @escaping @Sendable (
                _ request: URLRequest,
                _ next:
                    @escaping @Sendable (URLRequest) async throws -> (
                        HTTPBody, HTTPURLResponse
                    )
            ) async throws -> (HTTPBody, HTTPURLResponse)
    ) -> some HTTPSession {
        ClosureSession(exchange: { request, options in
            try await intercept(request) { try await send($0, awaiting: options) }
        })
    }
}
