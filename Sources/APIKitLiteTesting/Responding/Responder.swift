import APIKitLite
import Foundation

/// Where the answers of intercepted requests come from.
protocol Responder: Sendable {
    /// Where `Set-Cookie` is kept, if not in the session's own storage.
    var cookieStorage: HTTPCookieStorage? { get }

    /// Records a request and answers it: at once or later, from any thread, with nothing after the
    /// last event.
    ///
    /// - Parameters:
    ///   - client: Who waits for the answer.
    ///   - passage: Which stubs have passed the request on.
    func load(
        _ request: URLRequest, for client: any Client, passage: Passage,
        respond: @escaping @Sendable (ResponseEvent) -> Void
    ) -> CancellationHandle

    /// Whether a request is matched by code of the user's, which must not run on the loading
    /// thread: a URLSession that is used there ends the process, on Linux.
    var matchesWithUserCode: Bool { get }

    /// Whether a request is not for this responder, so that the network is asked.
    func declines(_ request: URLRequest) -> Bool
}

extension Responder {
    var matchesWithUserCode: Bool { false }

    func declines(_ request: URLRequest) -> Bool { false }
}

/// Who waits for the answer to a request.
protocol Client: AnyObject, Sendable {
    var isWaiting: Bool { get }

    /// How long the session waits for a next byte, in seconds, for a request that does not say.
    var sessionTimeout: TimeInterval? { get }
}

extension Client {
    /// How long it waits for a next byte.
    func idleTimeout(for request: URLRequest) -> Duration {
        let isDefault = request.timeoutInterval == 60
        let seconds = isDefault ? sessionTimeout ?? 60 : request.timeoutInterval
        // Zero means none; and a duration counts to 10¹¹ years, but a sum of them no further.
        return .seconds(seconds > 0 ? min(seconds, 1e9) : 1e9)
    }
}

/// A client that is somebody's task.
final class TaskClient: Client {
    let waiter = Waiter<Answer>()
    private let handle = Locked<CancellationHandle?>(nil)

    var isWaiting: Bool { !waiter.hasEnded }
    var sessionTimeout: TimeInterval? { nil }

    /// Keeps what a cancellation needs.
    func keep(_ handle: CancellationHandle) {
        self.handle.withLock { $0 = handle }
    }

    /// Ends the wait, and tells the network.
    func cancel() {
        let handle = handle.withLock { $0 }
        // Before the caller goes on, who may send the next request.
        handle?.recordCancellation()
        waiter.end(with: .failure(URLError(.cancelled)))
        handle?.cancelWork?()
    }
}

/// A client on a socket. Who is gone there shows late, too late for `verify()`.
final class SocketClient: Client {
    static let any = SocketClient()

    var isWaiting: Bool { false }
    var sessionTimeout: TimeInterval? { nil }

    private init() {}
}

/// A claim on one answer that is under way.
struct CancellationHandle: Sendable {
    /// Notes that the client gave up.
    let recordCancellation: @Sendable () -> Void
    var cancelWork: (@Sendable () -> Void)?

    /// Notes that the client gave up, and stops the work.
    ///
    /// A cancelled handler may run code of the user's, which must not be on the loading thread and
    /// must not hold up a server: so it is elsewhere, a moment later.
    func cancel() {
        recordCancellation()
        if let cancelWork { DispatchQueue.global().async(execute: cancelWork) }
    }
}
