import Foundation

extension URLRequest {
    /// Returns the request with a timeout: the longest time that may pass without data.
    ///
    /// It sets `timeoutInterval`. A whole exchange is limited by a policy, `timingOut(after:)`.
    ///
    /// - Parameter duration: The time; 60 seconds unless set. On Linux, Foundation fails a request
    ///   at once if it is shorter than a second.
    /// - Throws: ``RequestBuildingError/unusableTimeout(_:)`` for a time that is not longer than
    ///   zero.
    public func timeout(_ duration: Duration) throws -> URLRequest {
        guard duration > .zero else { throw RequestBuildingError.unusableTimeout(duration) }
        var request = self
        request.timeoutInterval = duration / .seconds(1)
        return request
    }

    /// Returns the request with a cache policy, such as `.reloadIgnoringLocalCacheData`.
    ///
    /// - Parameter policy: The policy; `.useProtocolCachePolicy` unless set.
    public func cachePolicy(_ policy: CachePolicy) -> URLRequest {
        var request = self
        request.cachePolicy = policy
        return request
    }
}
