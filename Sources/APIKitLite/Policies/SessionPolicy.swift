/// A session that wraps another one, as every policy of this library does.
///
/// Write ``HTTPSession/exchange(_:)``, and call that of ``next`` in it. Every other requirement of
/// ``HTTPSession`` is forwarded to the session inside, so an observer there misses nothing:
///
/// ```swift
/// struct LanguageSession: SessionPolicy {
///     let next: any HTTPSession
///
///     func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
///         try await next.exchange(request.header("Accept-Language", "fr"))
///     }
/// }
/// ```
///
/// A type that conforms to ``HTTPSession`` alone forwards nothing.
public protocol SessionPolicy: HTTPSession {
    /// The session inside, nearer to the network.
    var next: any HTTPSession { get }
}

extension SessionPolicy {
    /// Informs the session inside.
    public func loadDidFail(_ error: APIRequestError) {
        next.loadDidFail(error)
    }
}
