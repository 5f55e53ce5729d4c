/// A session that wraps another session, as every policy of this library does.
///
/// Implement ``HTTPSession/exchange(_:)`` and call the same function of ``next`` in it. Reports are
/// forwarded to the wrapped session, so that an observer in the chain receives every event. A
/// policy that needs only the headers of a response also streams with that function:
///
/// ```swift
/// struct LanguageSession: SessionPolicy {
///     let next: any HTTPSession
///
///     func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
///         try await next.exchange(request.header("Accept-Language", "fr"))
///     }
///
///     func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
///         try await next.openStream { try await LanguageSession(next: $0).exchange(request) }
///     }
/// }
/// ```
///
/// Without ``HTTPSession/stream(_:)``, a stream throws ``StreamingNotSupportedError``, which names
/// the policy. A wrapper that conforms only to ``HTTPSession`` forwards nothing by default.
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
