import Foundation

extension URLSession {
    /// Prevents cancelled data tasks of this session from ending the process on Linux.
    ///
    /// Foundation on Linux (up to Swift 6.3) ends the process ("TaskRegistry.swift: Fatal error")
    /// if a data task is cancelled while the session's `URLCache` replies to it. This method
    /// replaces `configuration.urlCache` with a wrapper that does not have this problem. The
    /// wrapper stores nothing itself and forwards every call to the session's own cache. On other
    /// platforms, this method does nothing.
    ///
    ///     let session = URLSession(configuration: .default).makeCancellationSafe()
    ///
    /// ``HTTPSession/exchange(_:)`` calls this method each time, so it also works after another
    /// cache was set. Only code that creates tasks of the session itself has to call it, once,
    /// before the first task.
    ///
    /// - Returns: This session.
    @discardableResult
    public func makeCancellationSafe() -> URLSession {
        #if canImport(FoundationNetworking)
        CancellationSafeCache.wrapCache(of: configuration)
        #endif
        return self
    }
}
