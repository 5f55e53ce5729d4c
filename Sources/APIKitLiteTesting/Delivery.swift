import APIKitLite
import Foundation

/// Brings one outcome to one `URLProtocol`'s client: on the loading thread, once, and never after
/// the end.
final class Delivery: Sendable {
    enum Outcome: Sendable {
        case answer(Answer)
        /// A redirect that Foundation is to follow, with the answer for a client that refuses it.
        case redirect(URLRequest, Answer)
        case failure(any Error)
    }

    private struct State {
        /// Where Foundation waits; nil before it started, while suspended, and after the end.
        var thread: LoadingThread?
        var outcome: Outcome?
        var isOver = false
    }

    private let state = Locked(State())

    /// Foundation wants the outcome. On the loading thread; again after a suspension.
    func start(_ urlProtocol: URLProtocol) {
        let isReady = state.withLock { state in
            if !state.isOver { state.thread = .current }
            return state.outcome != nil
        }
        if isReady { deliver(to: urlProtocol) }
    }

    /// Foundation wants nothing until the next start. On the loading thread.
    func pause() {
        state.withLock { $0.thread = nil }
    }

    /// Nothing may be delivered any more. Whether that was news.
    func end() -> Bool {
        state.withLock { state in
            defer { state = State(isOver: true) }
            return !state.isOver
        }
    }

    /// The outcome is known. From any thread; the first one counts.
    func finish(_ outcome: Outcome, for urlProtocol: WeakProtocol) {
        let thread = state.withLock { state -> LoadingThread? in
            guard !state.isOver, state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.thread
        }
        thread?.perform { [self] in
            if let urlProtocol = urlProtocol.value { deliver(to: urlProtocol) }
        }
    }

    private func deliver(to urlProtocol: URLProtocol) {
        guard urlProtocol.task?.wantsAnswer != false, let client = urlProtocol.client else {
            return
        }
        let outcome = state.withLock { state -> Outcome? in
            guard state.thread != nil, let outcome = state.outcome else { return nil }
            state = State(isOver: true)
            return outcome
        }
        switch outcome {
        case .answer(let answer):
            client.receive(answer, urlProtocol)
        case .redirect(let next, let answer):
            client.urlProtocol(
                urlProtocol, wasRedirectedTo: next, redirectResponse: answer.response)
            client.receive(answer, urlProtocol)
        case .failure(let error):
            client.urlProtocol(urlProtocol, didFailWithError: carryingOriginal(error))
        case nil:
            break
        }
    }
}

/// A protocol object that Foundation owns.
struct WeakProtocol: @unchecked Sendable {  // Only used on the loading thread, and to read `task`.
    weak var value: URLProtocol?
}

extension URLProtocolClient {
    fileprivate func receive(_ answer: Answer, _ sender: URLProtocol) {
        let response = QuietResponse.replacing(answer.response)
        urlProtocol(sender, didReceive: response, cacheStoragePolicy: .notAllowed)
        // Only the last piece would survive in a task without a data delegate, on Linux.
        let seesPieces = answer.chunks.count > 1 && sender.task?.seesPieces != false
        for piece in seesPieces ? answer.chunks : [answer.body] where !piece.isEmpty {
            urlProtocol(sender, didLoad: piece)
        }
        QuietResponse.finish(response) { urlProtocolDidFinishLoading(sender) }
    }
}
