/// A policy that explains the error of a load if its own configuration is part of the cause.
protocol ExplainingPolicy: SessionPolicy {
    /// Returns a sentence about what this policy did not do, and why.
    func explanation(of error: APIRequestError) -> String?
}

extension HTTPSession {
    /// This session and those that it wraps, the outermost first.
    var chain: some Sequence<any HTTPSession> {
        sequence(first: self as any HTTPSession) { ($0 as? any SessionPolicy)?.next }
    }

    /// Returns the sentence of the outermost policy that explains the error.
    func hint(about error: APIRequestError) -> String? {
        chain.lazy.compactMap { ($0 as? any ExplainingPolicy)?.explanation(of: error) }.first
    }
}
