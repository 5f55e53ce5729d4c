import APIKitLite
import Foundation

/// The messages that a test sends to one stub's clients. Each answer whose body the test sends has
/// a queue, which is open from the arrival of the request until the answer ends.
final class StubStreams: Sendable {
    enum Message: Sendable {
        case piece(Data, Promise<Void>)
        case end
        case failure(any Error)
    }

    private struct Queue: Sendable {
        var messages: [Message] = []
        /// Whether the test has ended the body.
        var isFinished = false
    }

    private struct State: Sendable {
        var queues: [Int: Queue] = [:]
        var lastNumber = 0
        /// Whether the last client left before the test ended its body.
        var hasClientLeft = false

        /// The queues to which the test may send.
        var open: [Int] { queues.filter { !$0.value.isFinished }.keys.sorted() }
    }

    private let state = Monitor(State())

    // MARK: The test

    /// Adds a message to each open queue. If no queue is open, suspends until one opens. If
    /// `isForNext` is false, does not suspend after the last client has left.
    ///
    /// - Throws: `CancellationError`.
    func post(isLast: Bool, isForNext: Bool, _ make: () -> Message) async throws {
        while true {
            try Task.checkCancellation()
            let isDone = state.update { state in
                let open = state.open
                for number in open {
                    state.queues[number]?.messages.append(make())
                    state.queues[number]?.isFinished = isLast
                }
                return !open.isEmpty || !isForNext && state.hasClientLeft
            }
            if isDone { return }
            await state.wait { !$0.open.isEmpty || !isForNext && $0.hasClientLeft }
        }
    }

    // MARK: The answers

    /// Opens a queue, and returns its number.
    func open() -> Int {
        state.update { state in
            state.lastNumber += 1
            state.queues[state.lastNumber] = Queue()
            return state.lastNumber
        }
    }

    /// Calls back when a queue has a message, on the thread of the test that sends it.
    func whenSent(
        to number: Int, _ call: @escaping @Sendable () -> Void
    ) -> Cancellation? {
        state.when({ $0.queues[number]?.messages.isEmpty != true }, call)
    }

    /// Removes and returns the next message, or nil if the queue is closed.
    func takeNext(of number: Int) -> Message? {
        state.withLock { state in
            guard state.queues[number]?.messages.isEmpty == false else { return nil }
            return state.queues[number]?.messages.removeFirst()
        }
    }

    /// Closes a queue when its answer ends.
    func close(_ number: Int) {
        let queue = state.update { state in
            let queue = state.queues.removeValue(forKey: number)
            if let queue { state.hasClientLeft = !queue.isFinished }
            return queue
        }
        for case .piece(_, let sent) in queue?.messages ?? [] {
            sent.resolve(with: .failure(Receipt.clientGone))
        }
    }
}
