import Foundation

private struct InterceptingSession: SessionPolicy {
    typealias Next = @Sendable (URLRequest) async throws -> (HTTPBody, HTTPURLResponse)

    let next: any HTTPSession
    let intercept:
        @Sendable (URLRequest, @escaping Next) async throws -> (HTTPBody, HTTPURLResponse)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await intercept(request) { [next] in try await next.send($0, awaiting: options) }
    }
}

extension HTTPSession {
    /// Returns a session that passes each request to a closure.
    ///
    /// The closure may change the request or the response, return a response without sending, or
    /// send more than once, even from other tasks.
    ///
    ///     let session = URLSession.shared.intercepting { request, next in
    ///         try await next(request.header("Accept-Language", "fr"))
    ///     }
    ///
    /// One closure handles whole responses and streams. ``HTTPBody/data`` contains the bytes of a
    /// whole response. It is nil for a stream, whose pieces belong to the reader of the returned
    /// body.
    ///
    /// - Parameter intercept: Receives the request and a function that sends one over this session.
    ///   The closure runs in the caller's task, so cancelling that task cancels its work. Calls for
    ///   concurrent requests may overlap.
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
        InterceptingSession(next: self, intercept: intercept)
    }
}
