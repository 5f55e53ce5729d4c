import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Keeps a cancelled data task of this session from ending the process on Linux, and returns the
    /// session. Elsewhere, it does nothing.
    ///
    /// Foundation on Linux (up to Swift 6.3) ends the process ("TaskRegistry.swift: Fatal error")
    /// when a data task is cancelled at the moment at which the session's `URLCache` has been asked.
    /// This puts a cache that has no such moment around `configuration.urlCache`: it keeps nothing
    /// itself and passes everything on to the session's own cache.
    ///
    ///     let session = URLSession(configuration: .default).makeCancellationSafe()
    ///
    /// ``HTTPSession/exchange(_:)`` does this by itself, also after another cache was set, so only
    /// code that uses the session's own tasks has to call it: once, before the first task.
    @discardableResult
    public func makeCancellationSafe() -> URLSession {
        #if canImport(FoundationNetworking)
        CancellationSafeCache.wrapCache(of: configuration)
        #endif
        return self
    }
}
