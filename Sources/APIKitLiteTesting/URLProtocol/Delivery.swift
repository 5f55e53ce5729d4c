import APIKitLite
import Foundation

/// Delivers the events of one response to the client of one `URLProtocol` object.
///
/// It calls the client on the loading thread, in order, and never after the last event. All of its
/// state is in `state`, which has a lock.
final class Delivery: Sendable {
    /// One thing to deliver.
    enum Item: Sendable {
        case event(ResponseEvent)
        /// A redirect for Foundation to follow, and the answer for a client that refuses it.
        case redirect(URLRequest, Answer)

        /// Whether nothing follows this item.
        var isLast: Bool {
            if case .event(let event) = self { event.isLast } else { true }
        }
    }

    /// How far the delivery is.
    private struct State {
        /// The thread to deliver on. It is `nil` before the start, while the task is suspended, and
        /// after the end.
        var thread: LoadingThread?
        /// The items that have not been delivered yet.
        var items: [Item] = []
        /// Whether the last item was added.
        var hasLast = false
        /// Collects the response for a client that must receive the whole body at once.
        var assembly: ResponseAccumulator?
        /// Whether the last item was delivered, or the load was stopped.
        var isOver = false
        /// Whether the load was stopped.
        var isStopped = false
    }

    private let state = Locked(State())
    private let urlProtocol: WeakProtocol

    init(to urlProtocol: URLProtocol) {
        self.urlProtocol = WeakProtocol(value: urlProtocol)
    }

    /// Starts to deliver, or continues after a suspension. Call it on the loading thread.
    func start() {
        guard let urlProtocol = urlProtocol.value else { return }
        let isReady = state.withLock { state in
            if !state.isOver { state.thread = .current(of: urlProtocol) }
            return !state.items.isEmpty
        }
        if isReady { deliver() }
    }

    /// Delivers nothing until the next `start()`. Call it on the loading thread.
    func pause() {
        state.withLock { $0.thread = nil }
    }

    /// Delivers nothing any more.
    ///
    /// - Returns: Whether the delivery was not over before.
    func end() -> Bool {
        state.withLock { state in
            defer { state = State(isOver: true, isStopped: true) }
            return !state.isOver
        }
    }

    /// Adds an item, and delivers it as soon as Foundation accepts it.
    ///
    /// It may be called on any thread. Items after the last one are ignored.
    func add(_ item: Item) {
        let thread = state.withLock { state -> LoadingThread? in
            guard !state.isOver, !state.hasLast else { return nil }
            state.items.append(item)
            state.hasLast = item.isLast
            return state.thread
        }
        thread?.perform { [self] in deliver() }
    }

    /// Delivers what waits. Call it on the loading thread.
    private func deliver() {
        guard let urlProtocol = urlProtocol.value, let client = urlProtocol.client else { return }
        // The client may suspend or cancel its task between two pieces.
        while urlProtocol.task?.wantsAnswer != false, let item = next() {
            switch item {
            case .event(let event):
                if let event = whole(event, urlProtocol) {
                    client.receive(event, urlProtocol)
                } else if case .piece(let piece) = event, piece.isAwaited {
                    // Neither under a lock nor on this thread: it may run the code of a test.
                    urlProtocol.task.afterDelegateCalls { piece.didTake() }
                }
            case .redirect(let next, let answer):
                client.urlProtocol(
                    urlProtocol, wasRedirectedTo: next, redirectResponse: answer.response)
                // Not in this turn: if the client follows the redirect, Foundation stops this load
                // on the same thread, and must not receive the answer then.
                LoadingThread.current(of: urlProtocol).perform { [self] in
                    guard !state.withLock(\.isStopped), let urlProtocol = self.urlProtocol.value
                    else { return }
                    urlProtocol.client?.receive(.answer(answer), urlProtocol)
                }
            }
        }
    }

    /// Removes the next item, and returns it. The last item ends the delivery.
    private func next() -> Item? {
        state.withLock { state in
            guard state.thread != nil, !state.items.isEmpty else { return nil }
            let item = state.items.removeFirst()
            if item.isLast { state = State(assembly: state.assembly, isOver: true) }
            return item
        }
    }

    /// Returns the event to deliver now.
    ///
    /// For a client that receives no pieces, it collects the events. It then returns `nil` until
    /// the last event, and for the last event the whole answer or the error.
    private func whole(_ event: ResponseEvent, _ urlProtocol: URLProtocol) -> ResponseEvent? {
        // On Linux, a task without a data delegate would keep only the last piece of the body.
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

/// A weak reference to a protocol object, which Foundation owns.
struct WeakProtocol: @unchecked Sendable {  // The object is used on the loading thread only.
    weak var value: URLProtocol?
}

extension URLProtocolClient {
    /// Delivers one event to the client.
    fileprivate func receive(_ event: ResponseEvent, _ sender: URLProtocol) {
        switch event {
        case .answer(let answer):
            begin(answer, sender)
            let seesPieces = answer.chunks.count > 1 && sender.task?.seesPieces != false
            for piece in seesPieces ? answer.chunks : [answer.body] where !piece.isEmpty {
                urlProtocol(sender, didLoad: piece)
            }
            urlProtocolDidFinishLoading(sender)
        case .head(let answer): begin(answer, sender)
        case .piece(let piece):
            guard piece.isAwaited else { return urlProtocol(sender, didLoad: piece.data) }
            // A delegate may cancel its task because of the piece, before `didTake()` is called.
            sender.task.afterDelegateCalls { piece.willTake() }
            urlProtocol(sender, didLoad: piece.data)
            sender.task.afterDelegateCalls { piece.didTake() }
        case .end: urlProtocolDidFinishLoading(sender)
        case .failure(let error):
            guard let (response, data) = (error as? MockError)?.plainResponse else {
                return urlProtocol(sender, didFailWithError: carryingOriginal(error))
            }
            urlProtocol(sender, didReceive: response, cacheStoragePolicy: .notAllowed)
            if let data, !data.isEmpty { urlProtocol(sender, didLoad: data) }
            urlProtocolDidFinishLoading(sender)
        case .cutHead:
            urlProtocol(sender, didFailWithError: URLError(.networkConnectionLost))
        }
    }

    private func begin(_ answer: Answer, _ sender: URLProtocol) {
        urlProtocol(
            sender, didReceive: answer.response.withoutChallenge, cacheStoragePolicy: .notAllowed)
    }
}
