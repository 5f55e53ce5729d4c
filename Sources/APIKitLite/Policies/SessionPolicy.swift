/// A session that wraps another session, like every policy in this library.
///
/// Implement ``HTTPSession/send(_:awaiting:)``, and call `send` on ``next`` in it. A load uses
/// ``next`` to find the observers in a chain.
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
/// If a wrapper conforms only to ``HTTPSession``, a load does not see the session it wraps.
public protocol SessionPolicy: HTTPSession {
    /// The wrapped session, which is one step closer to the network.
    var next: any HTTPSession { get }
}
