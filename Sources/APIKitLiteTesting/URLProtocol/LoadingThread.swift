import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// The one place where a `URLProtocolClient` may be called.
///
/// On Linux it is one serial queue for all sessions of the process; a client called from anywhere
/// else crashes the process. Foundation does not hand the queue out, but a mirror shows it. Where
/// that should fail, there is another way: resuming a task calls its `startLoading` on that queue,
/// each time, so a task of our own, which never ends, is the courier.
struct LoadingThread: Sendable {
    /// The loading thread of the protocol whose `startLoading` runs.
    static var current: LoadingThread { LoadingThread() }

    func perform(_ work: @escaping @Sendable () -> Void) {
        if let queue = Self.queue {
            queue.async(execute: work)
        } else {
            Self.sendByCourier(work)
        }
    }

    /// Makes what the first delivery would make.
    static func prepare() {
        _ = queue
    }

    private static let queue =
        Mirror(reflecting: courier).descendant(named: "workQueue") as? DispatchQueue

    static func sendByCourier(_ work: @escaping @Sendable () -> Void) {
        let isFirst = mail.withLock { mail in
            mail.append(Letter(open: work))
            return mail.count == 1
        }
        if isFirst { courier.resume() }
    }

    fileprivate static func deliverMail() {
        let letters = mail.withLock { mail in
            defer { mail = [] }
            return mail
        }
        for letter in letters { letter.open() }
    }

    private struct Letter: Sendable {
        let open: @Sendable () -> Void
    }

    private static let mail = Locked<[Letter]>([])
    private static let courier: URLSessionDataTask = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [CourierProtocol.self]
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        let session = URLSession(configuration: configuration)
        return session.dataTask(with: URL(string: "courier://loading-thread")!)
    }()
}

private final class CourierProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { LoadingThread.deliverMail() }
    override func stopLoading() {}
}
#else

/// The one place where a `URLProtocolClient` may be called: the run loop that `startLoading` was
/// called on, in the mode it was called in.
struct LoadingThread: @unchecked Sendable {  // A run loop takes blocks from any thread.
    private let loop: CFRunLoop
    private let mode: CFRunLoopMode

    static var current: LoadingThread {
        let loop = CFRunLoopGetCurrent()!
        return LoadingThread(loop: loop, mode: CFRunLoopCopyCurrentMode(loop) ?? .defaultMode)
    }

    static func prepare() {}

    func perform(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, mode.rawValue, work)
        CFRunLoopWakeUp(loop)
    }
}
#endif
