import Foundation

/// A session that passes each exchange to a closure: see ``HTTPSession/intercepting(_:)``.
public struct InterceptingSession: SessionPolicy {
    /// The wrapped session, which is one step nearer to the network.
    public let next: any HTTPSession
    let intercept: @Sendable (URLRequest, any HTTPSession) async throws -> (Data, HTTPURLResponse)

    /// Calls the closure with the request and the wrapped session.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body and the response that the closure returns.
    /// - Throws: The error that the closure throws.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await intercept(request, next)
    }

    /// Calls the closure with the request and a session that exchanges only the headers.
    ///
    /// In the closure, the body of each response is empty. The body that follows is that of the
    /// last response which the closure received, or the data that the closure returns if it is not
    /// empty.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body, and the response that the closure returns.
    /// - Throws: The error that the closure throws.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await next.openStream { try await intercept(request, $0) }
    }
}

extension HTTPSession {
    /// Returns a session that passes each exchange to a closure.
    ///
    /// The closure may change the request or the response, return a response without sending, or
    /// send more than once.
    ///
    ///     let session = URLSession.shared.intercepting { request, next in
    ///         var request = request
    ///         request.setValue("2", forHTTPHeaderField: "API-Version")
    ///         return try await next.exchange(request)
    ///     }
    ///
    /// - Parameter intercept: Receives the request and this session. It runs in the task of the
    ///   exchange, so cancelling that task cancels it. Calls of concurrent exchanges may overlap.
    /// - Returns: A session that wraps this one.
    public func intercepting(
        _ intercept:
            @escaping @Sendable (URLRequest, any HTTPSession) async throws
            -> (Data, HTTPURLResponse)
    ) -> InterceptingSession {
        InterceptingSession(next: self, intercept: intercept)
    }
}
