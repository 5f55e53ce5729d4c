/// A session that wraps another session, as every policy of this library does.
///
/// Implement ``HTTPSession/send(_:awaiting:)`` and call the same function of ``next`` in it. Through
/// ``next``, a load finds the observers in a chain, and the policies that explain its error.
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

/// A policy that explains the error of a load if its own configuration is part of the cause.
protocol ExplainingPolicy: SessionPolicy {
    /// Returns a sentence about what this policy, or one that it wraps, did not do, and why.
    func explanation(of error: APIRequestError) -> String?
}

extension HTTPSession {
    /// This session and those that it wraps, the outermost first.
    var chain: some Sequence<any HTTPSession> {
        sequence(first: self as any HTTPSession) { ($0 as? any SessionPolicy)?.next }
    }

    /// Returns the sentence of the outermost policy that explains the error.
    func hint(about error: APIRequestError) -> String? {
        let policy = chain.lazy.compactMap { $0 as? any ExplainingPolicy }.first
        return policy?.explanation(of: error)
    }
}
