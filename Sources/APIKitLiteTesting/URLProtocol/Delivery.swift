import APIKitLite
import Foundation

/// Brings the replies to one request to one `URLProtocol`'s client: on the loading thread, in
/// order, and never after the end.
final class Delivery: Sendable {
    enum Item: Sendable {
        case event(ResponseEvent)
        /// A redirect that Foundation is to follow, with the answer for a client that refuses it.
        case redirect(URLRequest, Answer)

        var isLast: Bool {
            if case .event(let event) = self { event.isLast } else { true }
        }
    }

    private struct State {
        /// Where Foundation waits; nil before it started, while suspended, and after the end.
        var thread: LoadingThread?
        /// What has not been delivered yet.
        var items: [Item] = []
        var hasLast = false
        /// Set by a head that the client is not shown before the answer is whole.
        var assembly: ResponseAccumulator?
        var isOver = false
    }

    private let state = Locked(State())

    /// Foundation wants the replies. On the loading thread; again after a suspension.
    func start(_ urlProtocol: URLProtocol) {
        let isReady = state.withLock { state in
            if !state.isOver { state.thread = .current }
            return !state.items.isEmpty
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

    /// There is a event. From any thread; nothing counts after the last one.
    func add(_ item: Item, for urlProtocol: WeakProtocol) {
        let thread = state.withLock { state -> LoadingThread? in
            guard !state.isOver, !state.hasLast else { return nil }
            state.items.append(item)
            state.hasLast = item.isLast
            return state.thread
        }
        thread?.perform { [self] in
            if let urlProtocol = urlProtocol.value { deliver(to: urlProtocol) }
        }
    }

    private func deliver(to urlProtocol: URLProtocol) {
        guard let client = urlProtocol.client else { return }
        // A client may suspend or cancel its task between two pieces.
        while urlProtocol.task?.wantsAnswer != false, let item = next() {
            switch item {
            case .event(let event):
                if let event = whole(event, urlProtocol) { client.receive(event, urlProtocol) }
            case .redirect(let next, let answer):
                client.urlProtocol(
                    urlProtocol, wasRedirectedTo: next, redirectResponse: answer.response)
                client.receive(.answer(answer), urlProtocol)
            }
        }
    }

    private func next() -> Item? {
        state.withLock { state in
            guard state.thread != nil, !state.items.isEmpty else { return nil }
            let item = state.items.removeFirst()
            if item.isLast { state = State(assembly: state.assembly, isOver: true) }
            return item
        }
    }

    /// The event, or what it completes for a client that is not shown pieces.
    private func whole(_ event: ResponseEvent, _ urlProtocol: URLProtocol) -> ResponseEvent? {
        // Only the last piece would survive in a task without a data delegate, on Linux.
        var showsPieces = true
        if case .head = event { showsPieces = urlProtocol.task?.seesPieces != false }
        return state.withLock { state in
            if !showsPieces { state.assembly = ResponseAccumulator() }
            guard state.assembly != nil else { return event }
            switch state.assembly?.add(event) {
            case .success(let answer): return .answer(answer)
            case .failure(let error): return .failure(error)
            case nil: return nil
            }
        }
    }
}

/// A protocol object that Foundation owns.
struct WeakProtocol: @unchecked Sendable {  // Only used on the loading thread, and to read `task`.
    weak var value: URLProtocol?
}

extension URLProtocolClient {
    fileprivate func receive(_ event: ResponseEvent, _ sender: URLProtocol) {
        switch event {
        case .answer(let answer):
            let response = begin(answer, sender)
            let seesPieces = answer.chunks.count > 1 && sender.task?.seesPieces != false
            for piece in seesPieces ? answer.chunks : [answer.body] where !piece.isEmpty {
                urlProtocol(sender, didLoad: piece)
            }
            ChallengeFreeResponse.finish(response) { urlProtocolDidFinishLoading(sender) }
        case .head(let answer): _ = begin(answer, sender)
        case .piece(let piece): urlProtocol(sender, didLoad: piece)
        case .end:
            guard let response = sender.task?.response as? HTTPURLResponse else {
                return urlProtocolDidFinishLoading(sender)
            }
            ChallengeFreeResponse.finish(response) { urlProtocolDidFinishLoading(sender) }
        case .failure(let error):
            urlProtocol(sender, didFailWithError: carryingOriginal(error))
        case .cutHead:
            urlProtocol(sender, didFailWithError: URLError(.networkConnectionLost))
        }
    }

    private func begin(_ answer: Answer, _ sender: URLProtocol) -> HTTPURLResponse {
        let response = ChallengeFreeResponse.replacing(answer.response)
        urlProtocol(sender, didReceive: response, cacheStoragePolicy: .notAllowed)
        return response
    }
}
