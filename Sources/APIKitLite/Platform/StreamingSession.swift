#if canImport(FoundationNetworking)
import Foundation

/// A second `URLSession` that streams responses for another session.
///
/// Foundation on Linux (up to Swift 6.3) passes the pieces of a body only to the delegate of a
/// session, never to the delegate of a task. A session's streams therefore use the tasks of a
/// second session. The second session has the same configuration, including cookies, credentials
/// and protocol classes, but no cache, because Foundation would keep an entire body in memory to
/// cache that body.
private final class StreamingSession:
    @unchecked Sendable  // The variables are used only under the lock of `sessions`.
{
    private static let sessions = Locked<[ObjectIdentifier: StreamingSession]>([:])

    // Servers keep idle connections open for a similar time.
    private static let idleTime = DispatchTimeInterval.seconds(10)

    fileprivate let urlSession: URLSession
    private weak var owner: URLSession?
    /// The protocol classes that the owner had when this session was created. Registering or
    /// unregistering a mock may change the owner's classes.
    private let protocolClasses: [ObjectIdentifier]
    private var streamCount = 0
    private var useCount = 0

    private init(for owner: URLSession) {
        let configuration = owner.configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.urlCache = nil
        // A callback delivers up to 16 KiB, so the limit is reached when about 1 MiB is waiting.
        let queue = OperationQueue.serial(
            label: "APIKitLite.StreamingSession.delegateQueue", limit: 64,
            willAdd: stopTransfers)
        urlSession = URLSession(
            configuration: configuration, delegate: TaskDelegateCaller(), delegateQueue: queue)
        urlSession.markTransferQueue()
        self.owner = owner
        protocolClasses = owner.protocolClasses
    }

    /// Returns the second session of an app's session, and counts a new stream.
    fileprivate static func forNewStream(of owner: URLSession) -> StreamingSession {
        // The old session is released outside the lock, because releasing it may run the app's
        // code.
        let (session, _) = sessions.withLock { sessions -> (StreamingSession, StreamingSession?) in
            let key = ObjectIdentifier(owner)
            let old = sessions[key]
            // A released session may have had the same address.
            let isCurrent = old?.owner === owner && old?.protocolClasses == owner.protocolClasses
            let known = isCurrent ? old : nil
            let session = known ?? StreamingSession(for: owner)
            sessions[key] = session
            session.streamCount += 1
            session.useCount += 1
            return (session, old)
        }
        return session
    }

    /// Releases this session, unless another stream uses it. If another stream could reuse the
    /// connection, first waits for a while, and keeps the session if a stream has begun meanwhile.
    fileprivate func streamDidEnd(isOverConnection: Bool) {
        let use = Self.sessions.withLock { _ in
            streamCount -= 1
            return useCount
        }
        guard isOverConnection else { return release(ifIdleSince: use) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.idleTime) { [weak self] in
            self?.release(ifIdleSince: use)
        }
    }

    private func release(ifIdleSince use: Int) {
        Self.sessions.withLock { sessions in
            guard streamCount == 0, useCount == use else { return }
            // The caller retains this session, so the session is released outside the lock.
            sessions = sessions.filter { $0.value !== self }
        }
    }
}

/// The delegate of the second session. This delegate passes each call on to the task's delegate.
///
/// Foundation calls a session's delegate about the response, the data and the completion, but the
/// task's own delegate about redirects and challenges.
private final class TaskDelegateCaller: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        dataTask.stream?.urlSession(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        dataTask.stream?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        task.stream?.urlSession(session, task: task, didCompleteWithError: error)
    }
}

extension URLSessionExchange {
    /// Cancels the task of the exchange. If the task streams a body, the transfer also fails when
    /// more of the body arrives.
    ///
    /// In one call, libcurl receives and decompresses all bytes of a body that have arrived. The
    /// call may take seconds, on the queue on which Foundation cancels tasks. Only code that runs
    /// within the call can end the call sooner. `stopTransfers` runs within the call, when
    /// Foundation adds a callback for a piece to the delegate queue.
    ///
    /// A task that ends at a redirect is not cancelled: see `endAtRedirect`.
    func stopReceiving(_ task: URLSessionTask, isAtRedirect: Bool) {
        if isAtRedirect { return }
        guard self is URLSessionStream else { return callFoundation { task.cancel() } }
        stoppedTasks.withLock { tasks in
            // Tasks loaded by an app's own `URLProtocol` class have no transfer to stop, and may
            // stay in the list until they are released.
            tasks.removeAll { $0.task == nil }
            tasks.append(WeakTask(task: task))
        }
        waitingQueue.async { task.cancel() }
    }
}

private struct WeakTask { weak var task: URLSessionTask? }

/// The tasks whose transfers must stop when the next callback of a stream is added.
private let stoppedTasks = Locked<[WeakTask]>([])

/// Stops the transfers of `stoppedTasks`, if the current queue is Foundation's serial queue, where
/// transfers may be used. An app's own protocol class may add callbacks on another queue.
@Sendable func stopTransfers() {
    guard isOnTransferQueue else { return }
    let tasks = stoppedTasks.withLock { tasks in
        defer { tasks = [] }
        return tasks
    }
    for case let task? in tasks.map(\.task) { Transfer(of: task)?.stopReceiving() }
}

extension URLSession {
    /// Creates a task whose delegate receives the pieces of the body, and returns the task and a
    /// function to call once, when the task has completed.
    func streamingTask(
        with request: URLRequest, for stream: URLSessionStream
    ) -> (task: URLSessionDataTask, didComplete: @Sendable () -> Void) {
        let isOverConnection = stream.isOverConnection
        // A placeholder is a task of the app's session that is never resumed. When the app calls
        // `invalidateAndCancel()` on its session, the placeholder is cancelled, and cancels the
        // stream. Unlike a download task, a data task would look for its response in the cache.
        // The placeholder is created first, because its creation crashes if the app's session was
        // invalidated after `prepareForTask` checked it.
        let url = isOverConnection ? request.url : nil
        let placeholder = url.map { downloadTask(with: $0) { _, _, _ in stream.cancel() } }
        let session = StreamingSession.forNewStream(of: self)
        if isOverConnection { ConnectionBusyLoop.watch(session.urlSession) }
        let task = session.urlSession.dataTask(with: request)
        return (
            task,
            {
                session.streamDidEnd(isOverConnection: isOverConnection)
                if let placeholder { waitingQueue.async { placeholder.cancel() } }
            }
        )
    }

    fileprivate var protocolClasses: [ObjectIdentifier] {
        configuration.protocolClasses?.map { ObjectIdentifier($0) } ?? []
    }
}
#endif
