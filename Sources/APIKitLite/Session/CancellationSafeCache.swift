#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// A session's own cache, whose look-ups reply on the queue on which tasks are cancelled.
///
/// On Linux (up to 6.3), a task waits for its cache before it starts, and the reply comes on
/// another queue. Where a cancellation comes while the reply is being given, the task ends first
/// and starts afterwards: Foundation then misses it in its list and ends the process
/// ("TaskRegistry.swift: Fatal error"). Tasks are resumed and cancelled on one serial queue, which
/// all sessions of a process share: nothing comes between where the reply is given there.
///
/// The look-up itself stays on Foundation's background queue. It lists a directory, at some 10 µs a
/// file: on the serial queue, that would stop every transfer of the process.
final class CancellationSafeCache: URLCache, @unchecked Sendable {  // Holds only a constant.
    private let cache: URLCache

    private init(_ cache: URLCache) {
        self.cache = cache
        // Nothing is ever kept here: a path that cannot be a directory makes none.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    }

    override func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        cache.getCachedResponse(for: dataTask) { response in
            LoadingQueue.async { completionHandler(response) }
        }
    }

    // Everything else goes to the session's own cache.

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
    private static let lock = NSLock()

    /// Puts one around the cache of a session's configuration, which is the live one on Linux.
    ///
    /// Other threads may read the property meanwhile, without a lock, as Foundation does. They find
    /// the old cache or the new one, each complete: the new one keeps the old one alive, and the
    /// lock is taken between making it and writing it.
    static func wrapCache(of configuration: URLSessionConfiguration) {
        guard let cache = configuration.urlCache, !(cache is CancellationSafeCache) else { return }
        let safe = CancellationSafeCache(cache)
        LoadingQueue.prepare()
        lock.withLock {
            if configuration.urlCache === cache { configuration.urlCache = safe }
        }
    }
}

/// The serial queue that the tasks of all sessions run on (`org.swift.URLSession.SharedQueue`).
private enum LoadingQueue {
    /// Runs what Foundation adds at once, where it adds it: on the queue of its session.
    private final class Inline: OperationQueue, @unchecked Sendable {  // Has no state of its own.
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            block()
        }
    }

    // It never loads anything.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration, delegate: nil, delegateQueue: Inline())
    }()

    /// Makes the session, which must not happen on its queue.
    static func prepare() {
        _ = session
    }

    static func async(_ work: @escaping @Sendable () -> Void) {
        session.getAllTasks { _ in work() }
    }
}
#endif
