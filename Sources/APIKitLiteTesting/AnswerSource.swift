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
        _ request: URLRequest, for client: Journal.Client,
        reply: @escaping @Sendable (Reply) -> Void
    ) -> Ticket
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
