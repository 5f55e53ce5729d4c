import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
/// The thread on which a `URLProtocolClient` must be called.
///
/// On Linux, this is a single serial queue for all sessions of the process, and calling a client on
/// any other thread crashes. Foundation keeps the queue private, but a `Mirror` of any task finds
/// the queue.
struct LoadingThread: Sendable {
    private static let shared = Locked<DispatchQueue?>(nil)
    private let queue: DispatchQueue

    /// Returns the loading thread of a `URLProtocol`. Call this function on that thread.
    static func current(of urlProtocol: URLProtocol) -> LoadingThread {
        let queue = shared.withLock { shared -> DispatchQueue? in
            shared = shared ?? urlProtocol.task.flatMap { $0.mirrored("workQueue") }
            return shared
        }
        guard let queue else {
            fatalError(
                """
                This version of Foundation hides the queue on which a mock must respond. Use \
                network, and report this with your version of Swift.
                """)
        }
        return LoadingThread(queue: queue)
    }

    /// Schedules the work on the loading thread.
    func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
#else
/// The thread on which a `URLProtocolClient` must be called: the run loop on which Foundation calls
/// `startLoading()`, in the mode of that call.
struct LoadingThread: @unchecked Sendable {  // A run loop accepts blocks from any thread.
    private let loop = CFRunLoopGetCurrent()!
    private let mode: CFRunLoopMode =
        CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) ?? .defaultMode

    /// Returns the loading thread of a `URLProtocol`. Call this function on that thread.
    static func current(of urlProtocol: URLProtocol) -> LoadingThread { LoadingThread() }

    /// Schedules the work on the loading thread.
    func perform(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, mode.rawValue, work)
        CFRunLoopWakeUp(loop)
    }
}
#endif
