import Foundation

/// A session that sends its requests through a closure, such as your own client's function.
///
///     let session = ClosureSession { request in try await client.execute(request) }
///
/// The closure receives the request unchanged and decides about redirects. It runs in the caller's
/// task, so cancelling that task cancels the closure's work. A stream's reader receives the entire
/// body in one piece, and progress is not reported.
public struct ClosureSession: HTTPSession {
    typealias Exchange =
        @Sendable (URLRequest, SendOptions) async throws -> (HTTPBody, HTTPURLResponse)

    private let exchange: Exchange

    /// Creates a session that sends its requests through a closure.
    ///
    /// - Parameter load: Returns the body and the response of a request. Calls for concurrent
    ///   requests may overlap.
    public init(_ load: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)) {
        self.init(exchange: { request, options in
            let (data, response) = try await load(request)
            guard let http = response as? HTTPURLResponse else {
                throw TransportError.notHTTP(response.url)
            }
            return (try HTTPBody(data).limited(by: options), http)
        })
    }

    /// Creates a policy that consists of a function.
    init(exchange: @escaping Exchange) {
        self.exchange = exchange
    }

    /// Calls the closure.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for. The response is complete in any case.
    /// - Returns: The complete body, and the status and headers.
    /// - Throws: Any error thrown by the closure. ``TransportError/notHTTP(_:)`` if the closure's
    ///   response is not an `HTTPURLResponse`. ``TransportError/bodyTooLarge(limit:)`` if the whole
    ///   body is awaited and too large.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await exchange(request, options)
    }
}

extension HTTPSession {
    /// Returns a session that changes the context that the inner sessions receive with each
    /// request, and applies the context's body limit to the response.
    func changingContext(
        _ change: @escaping @Sendable (inout SendContext) -> Void
    ) -> some HTTPSession {
        ClosureSession(exchange: { request, options in
            var options = options
            change(&options.context)
            let (body, response) = try await send(request, awaiting: options)
            return (try body.limited(by: options), response)
        })
    }
}
