import Foundation

/// A session whose exchanges go through a closure: see ``HTTPSession/intercepting(_:)``.
public struct InterceptingSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    let intercept: @Sendable (URLRequest, any HTTPSession) async throws -> (Data, HTTPURLResponse)

    /// Asks the closure.
    ///
    /// - Throws: What the closure throws.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await intercept(request, next)
    }
}

extension HTTPSession {
    /// This session behind a closure that may change the request, change the answer, answer
    /// itself, or send more than once.
    ///
    ///     let session = URLSession.shared.intercepting { request, next in
    ///         var request = request
    ///         request.setValue("2", forHTTPHeaderField: "API-Version")
    ///         return try await next.exchange(request)
    ///     }
    ///
    /// - Parameter intercept: Gets the request and the session inside. Calls may overlap; each
    ///   runs in the task of its exchange, so what it awaits is cancelled with it.
    public func intercepting(
        _ intercept:
            @escaping @Sendable (URLRequest, any HTTPSession) async throws
            -> (Data, HTTPURLResponse)
    ) -> InterceptingSession {
        InterceptingSession(next: self, intercept: intercept)
    }
}
