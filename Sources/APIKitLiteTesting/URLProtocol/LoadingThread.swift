import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// The thread on which a `URLProtocolClient` must be called.
///
/// On Linux it is one serial queue for all sessions of the process; calling a client anywhere else
/// crashes the process. Foundation keeps the queue private, but a mirror finds it. If the mirror
/// finds nothing, a helper task is used instead: each `resume()` of a task calls `startLoading()`
/// on that queue.
struct LoadingThread: Sendable {
    /// The loading thread of the protocol whose `startLoading` runs.
    static var current: LoadingThread { LoadingThread() }

    /// Runs the work on the loading thread, later.
    func perform(_ work: @escaping @Sendable () -> Void) {
        if let queue = Self.queue {
            queue.async(execute: work)
        } else {
            Self.sendByCourier(work)
        }
    }

    /// Creates now what the first delivery would create: the helper task and its session.
    static func prepare() {
        _ = queue
    }

    private static let queue =
        Mirror(reflecting: helperTask).descendant(named: "workQueue") as? DispatchQueue

    /// Runs the work on the loading thread, later, by resuming the helper task.
    static func sendByCourier(_ work: @escaping @Sendable () -> Void) {
        let isFirst = pendingWork.withLock { pendingWork in
            pendingWork.append(WorkItem(run: work))
            return pendingWork.count == 1
        }
        if isFirst { helperTask.resume() }
    }

    /// Runs all pending work. Called on the loading thread.
    fileprivate static func runPendingWork() {
        let items = pendingWork.withLock { pendingWork in
            defer { pendingWork = [] }
            return pendingWork
        }
        for item in items { item.run() }
    }

    /// A piece of work. `Locked` must not store closures directly.
    private struct WorkItem: Sendable {
        let run: @Sendable () -> Void
    }

    private static let pendingWork = Locked<[WorkItem]>([])
    /// A task that never ends, so that it can be resumed again and again.
    private static let helperTask: URLSessionDataTask = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [HelperProtocol.self]
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        let session = URLSession(configuration: configuration)
        return session.dataTask(with: URL(string: "courier://loading-thread")!)
    }()
}

/// The protocol of the helper task. It never answers.
private final class HelperProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { LoadingThread.runPendingWork() }
    override func stopLoading() {}
}
#else

/// The thread on which a `URLProtocolClient` must be called: the run loop on which Foundation calls
/// `startLoading()`, in the mode of that call.
struct LoadingThread: @unchecked Sendable {  // A run loop accepts blocks from any thread.
    private let loop: CFRunLoop
    private let mode: CFRunLoopMode

    /// The loading thread of the protocol whose `startLoading` runs.
    static var current: LoadingThread {
        let loop = CFRunLoopGetCurrent()!
        return LoadingThread(loop: loop, mode: CFRunLoopCopyCurrentMode(loop) ?? .defaultMode)
    }

    /// Does nothing: the first delivery creates nothing here.
    static func prepare() {}

    /// Runs the work on the loading thread, later.
    func perform(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, mode.rawValue, work)
        CFRunLoopWakeUp(loop)
    }
}
#endif
