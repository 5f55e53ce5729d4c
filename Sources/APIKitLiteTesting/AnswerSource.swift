import Foundation

/// Where the answers of intercepted requests come from.
protocol AnswerSource: Sendable {
    /// Where `Set-Cookie` is kept, if not in the session's own storage.
    var cookieStorage: HTTPCookieStorage? { get }

    /// Records a request and answers it: at once or later, from any thread, at most once.
    func load(
        _ request: URLRequest, reply: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) -> Ticket
}

/// A claim on one answer that is under way.
struct Ticket: Sendable {
    let journal: Journal
    let id: Int
    var cancelWork: (@Sendable () -> Void)?

    /// Notes that the client gave up, and stops the work.
    ///
    /// A cancelled handler may run code of the user's, which must not be on the loading thread and
    /// must not hold up a server: so it is elsewhere, a moment later.
    func cancel() {
        journal.markCancelled(id)
        if let cancelWork { DispatchQueue.global().async(execute: cancelWork) }
    }
}
