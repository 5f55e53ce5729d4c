/// A session that wraps another session, as every policy of this library does.
///
/// Implement ``HTTPSession/send(_:awaiting:)`` and call the same function of ``next`` in it. Through
/// ``next``, a load finds the observers in a chain.
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
/// A load does not see what a wrapper that conforms only to ``HTTPSession`` wraps.
public protocol SessionPolicy: HTTPSession {
    /// The wrapped session, which is one step nearer to the network.
    var next: any HTTPSession { get }
}
