import APIKitLite
import Foundation

/// One closure that was set as `MockURLProtocol.requestHandler`, with its own queue of requests.
///
/// Requests take turns, so that the closure's counters stay right. The turn is the closure's own:
/// one that never returns delays only its own requests, and these end when it is replaced.
final class TalkHandler: @unchecked Sendable {  // `function` runs in one turn at a time.
    typealias Function = (URLRequest) throws -> (HTTPURLResponse, Data?)

    let function: Function
    private let handlers = HandlerPool()
    private let state = Locked(State())

    fileprivate struct Turn: Sendable {
        let id: Int
        let request: URLRequest
        let reply: @Sendable (Reply) -> Void
    }

    private struct State {
        var turns: [Turn] = []
        var isBusy = false
        var isRetired = false
    }

    init(_ function: @escaping Function) {
        self.function = function
    }

    deinit {
        handlers.close()
    }

    fileprivate func answer(_ turn: Turn) {
        let (isLate, isFirst) = state.withLock { state in
            guard !state.isRetired else { return (true, false) }
            state.turns.append(turn)
            defer { state.isBusy = true }
            return (false, !state.isBusy)
        }
        if isLate { turn.reply(.failure(MockFailure.straggler(turn.request))) }
        if isFirst { handlers.submit(HandlerCall { [self] in takeTurns() }) }
    }

    private func takeTurns() {
        while let turn = nextTurn() {
            do {
                turn.reply(.answer(Answer(try function(turn.request), to: turn.request)))
            } catch {
                turn.reply(.failure(error))
            }
        }
    }

    private func nextTurn() -> Turn? {
        state.withLock { state in
            guard !state.turns.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.turns.removeFirst()
        }
    }

    fileprivate func forget(_ id: Int) {
        state.withLock { $0.turns.removeAll { $0.id == id } }
    }

    /// Refuses the requests that wait: another test's handler must not answer them.
    private func retire() {
        let late = state.withLock { state in
            defer { state.turns = [] }
            state.isRetired = true
            return state.turns
        }
        for turn in late { turn.reply(.failure(MockFailure.straggler(turn.request))) }
    }
}

extension TalkHandler {
    private struct Talk {
        var handler: TalkHandler?
        var journal = Journal()
    }

    private static let talk = Locked(Talk())

    static var journal: Journal { talk.withLock { $0.journal } }

    static var current: TalkHandler? {
        get { talk.withLock { $0.handler } }
        set {
            let last = talk.withLock { talk in
                defer {
                    talk.handler = newValue
                    if newValue != nil { talk.journal = Journal() }
                }
                return talk.handler
            }
            last?.retire()
        }
    }

    /// Answers from the handler that was set when the request was made.
    struct Source: AnswerSource {
        let handler: TalkHandler?

        var cookieStorage: HTTPCookieStorage? { nil }

        func load(
            _ request: URLRequest, for client: any Client, passage: Passage,
            reply: @escaping @Sendable (Reply) -> Void
        ) -> Ticket {
            let (journal, id, isLate) = talk.withLock { talk in
                let isLate = talk.handler !== handler
                // What came for another handler is not in the journal of this one.
                let journal = isLate ? Journal() : talk.journal
                let record = RecordedRequest(request: request)
                return (journal, journal.append(record, awaitedBy: nil), isLate)
            }
            let note = { @Sendable in journal.markCancelled(id, at: .zero) }
            guard let handler, !isLate else {
                let failure = handler == nil ? MockFailure.noHandler : MockFailure.straggler
                reply(.failure(failure(request)))
                return Ticket(note: note)
            }
            handler.answer(Turn(id: id, request: request, reply: reply))
            return Ticket(note: note, cancelWork: { handler.forget(id) })
        }
    }
}
