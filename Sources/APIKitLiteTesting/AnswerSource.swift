import APIKitLite
import Foundation

/// Where the answers of intercepted requests come from.
protocol AnswerSource: Sendable {
    /// Where `Set-Cookie` is kept, if not in the session's own storage.
    var cookieStorage: HTTPCookieStorage? { get }

    /// Records a request and answers it: at once or later, from any thread, with nothing after the
    /// last reply.
    ///
    /// - Parameter client: Who waits for the answer.
    func load(
        _ request: URLRequest, for client: any Client,
        reply: @escaping @Sendable (Reply) -> Void
    ) -> Ticket
}

/// Who waits for the answer to a request.
protocol Client: AnyObject, Sendable {
    var isWaiting: Bool { get }

    /// How long the session waits for a next byte, in seconds, for a request that does not say.
    var sessionTimeout: TimeInterval? { get }
}

extension Client {
    /// How long it waits for a next byte.
    func patience(for request: URLRequest) -> Duration {
        let isDefault = request.timeoutInterval == 60
        let seconds = isDefault ? sessionTimeout ?? 60 : request.timeoutInterval
        // Zero means none; and a duration counts to 10¹¹ years, but a sum of them no further.
        return .seconds(seconds > 0 ? min(seconds, 1e9) : 1e9)
    }
}

/// A client that is somebody's task.
final class TaskClient: Client {
    private let state = Locked<(isWaiting: Bool, id: Int?)>((true, nil))

    var isWaiting: Bool { state.withLock { $0.isWaiting } }
    var sessionTimeout: TimeInterval? { nil }

    /// Notes the number of its request in the journal.
    func enter(as id: Int) {
        state.withLock { $0.id = id }
    }

    /// Does not wait any more.
    ///
    /// - Returns: The number of its request, if that is in the journal yet.
    func leave() -> Int? {
        state.withLock { state in
            state.isWaiting = false
            return state.id
        }
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
struct Ticket: Sendable {
    /// Notes that the client gave up.
    let note: @Sendable () -> Void
    var cancelWork: (@Sendable () -> Void)?

    /// Notes that the client gave up, and stops the work.
    ///
    /// A cancelled handler may run code of the user's, which must not be on the loading thread and
    /// must not hold up a server: so it is elsewhere, a moment later.
    func cancel() {
        note()
        if let cancelWork { DispatchQueue.global().async(execute: cancelWork) }
    }
}
