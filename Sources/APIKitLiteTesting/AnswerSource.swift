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

/// A client that is somebody's task, or somebody on a socket.
final class PlainClient: Client {
    /// Whoever cancels marks the request first: one that is in the journal is waited for.
    static let inTask = PlainClient(isWaiting: true)
    /// Who is gone shows late on a socket, too late for `verify()`.
    static let onSocket = PlainClient(isWaiting: false)

    let isWaiting: Bool
    var sessionTimeout: TimeInterval? { nil }

    private init(isWaiting: Bool) {
        self.isWaiting = isWaiting
    }
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
