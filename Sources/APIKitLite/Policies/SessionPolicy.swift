/// A session that wraps another session, as every policy of this library does.
///
/// Implement ``HTTPSession/send(_:awaiting:)`` and call the same function of ``next`` in it.
/// Reports are forwarded to the wrapped session, so that an observer in the chain receives every
/// event.
///
/// ```swift
/// struct LanguageSession: SessionPolicy {
///     let next: any HTTPSession
///
///     func send(
///         _ request: URLRequest, awaiting options: SendOptions
///     ) async throws -> (HTTPBody, HTTPURLResponse) {
///         try await next.send(
///             request.header("Accept-Language", "fr"), awaiting: options)
///     }
/// }
/// ```
///
/// A wrapper that conforms only to ``HTTPSession`` forwards nothing by default.
public protocol SessionPolicy: HTTPSession {
    /// The wrapped session, which is one step nearer to the network.
    var next: any HTTPSession { get }
}

extension SessionPolicy {
    /// Forwards the report of a rejected response to the wrapped session.
    ///
    /// - Parameter error: The error of the load.
    public func loadDidFail(_ error: APIRequestError) {
        next.loadDidFail(error)
    }
}
