#if canImport(FoundationNetworking)
import Foundation

/// A wrapper around a session's cache. The wrapper replies on the queue where tasks are cancelled.
///
/// On Linux (up to Swift 6.3), a data task asks its session's cache before the task starts, and the
/// cache replies on another queue. If the task is cancelled during that reply, the task ends before
/// it starts. Foundation then does not find the ended task in its registry and crashes
/// ("TaskRegistry.swift: Fatal error"). Foundation resumes and cancels the tasks of all sessions on
/// one serial queue, so a reply on that queue cannot overlap with a cancellation.
///
/// The lookup itself stays on Foundation's background queue. A lookup lists a directory, which
/// takes about 10 µs for each file. On the serial queue, a lookup would block every transfer in the
/// process.
final class CancellationSafeCache: URLCache, @unchecked Sendable {  // Its state is constant.
    private let cache: URLCache
    /// The serial queue of a session. The queues of all sessions have one serial target queue.
    private let queue: DispatchQueue

    private init(_ cache: URLCache, on queue: DispatchQueue) {
        self.cache = cache
        self.queue = queue
        // This object stores nothing. `/dev/null` cannot be a directory, so no directory is
        // created.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    }

    override func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        cache.getCachedResponse(for: dataTask) { [queue] response in
            queue.async {
                completionHandler(response)
                // The task's `URLProtocol` has been created, and will start after this block.
                (dataTask.delegate as? URLSessionExchange)?.refuseRepetition(of: dataTask)
            }
        }
    }

    // All other calls are forwarded to the session's own cache.

    override var memoryCapacity: Int {
        get { cache.memoryCapacity }
        set { cache.memoryCapacity = newValue }
    }

    override var diskCapacity: Int {
        get { cache.diskCapacity }
        set { cache.diskCapacity = newValue }
    }

    override var currentMemoryUsage: Int { cache.currentMemoryUsage }

    override var currentDiskUsage: Int { cache.currentDiskUsage }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        cache.cachedResponse(for: request)
    }

    override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for request: URLRequest
    ) {
        cache.storeCachedResponse(cachedResponse, for: request)
    }

    override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        cache.storeCachedResponse(cachedResponse, for: dataTask)
    }

    override func removeCachedResponse(for request: URLRequest) {
        cache.removeCachedResponse(for: request)
    }

    override func removeCachedResponse(for dataTask: URLSessionDataTask) {
        cache.removeCachedResponse(for: dataTask)
    }

    override func removeAllCachedResponses() {
        cache.removeAllCachedResponses()
    }

    override func removeCachedResponses(since date: Date) {
        cache.removeCachedResponses(since: date)
    }
}

extension CancellationSafeCache {
    // Serializes the check and the replacement of a configuration's cache.
    private static let lock = NSLock()

    /// Replaces a session's cache, if any, with a wrapper around the cache. A second call for the
    /// same session does nothing.
    ///
    /// On Linux, a session's `configuration` is the object that the session uses, not a copy. Other
    /// threads, such as Foundation's, may read `urlCache` at the same time without a lock. Those
    /// threads get the old cache or the wrapper. Either cache is usable, because the wrapper
    /// retains the old cache, and is fully initialized before the assignment. If Foundation renames
    /// the private property that `transferQueue` reads, the cache is not replaced.
    static func wrapCache(of session: URLSession) {
        let configuration = session.configuration
        guard let cache = configuration.urlCache, !(cache is CancellationSafeCache),
            let queue = session.transferQueue
        else { return }
        let safe = CancellationSafeCache(cache, on: queue)
        lock.withLock {
            if configuration.urlCache === cache { configuration.urlCache = safe }
        }
    }
}
#endif
