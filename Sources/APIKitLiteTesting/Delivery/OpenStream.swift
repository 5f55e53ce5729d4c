import APIKitLite
import Foundation

/// A response whose body the test sends. Holds the messages that are not delivered yet.
///
/// The stream is open from the arrival of the request until the test ends the body or the client
/// leaves.
final class OpenStream: Sendable {
    enum Message: Sendable {
        case piece(Data, Promise<Void>)
        case end
        case failure(any Error)
    }

    /// The open streams of one stub.
    struct List: Sendable {
        var open: [OpenStream] = []
        /// The streams of the last `send`, even if their clients have left; nil before the first
        /// `send`, and once the test has ended the streams.
        var sent: [OpenStream]?
        /// Whether a client has left since the test last ended a stream.
        var hasClientLeft = false

        /// Returns the streams for a call by the test, or nil if the call must wait for the next
        /// stream. With `isLast`, the call ends the streams.
        mutating func streams(isLast: Bool, isForNext: Bool) -> [OpenStream]? {
            if !isForNext, let sent {
                // If the client has left and connected again, its new stream stays open.
                open.removeAll { stream in sent.contains { $0 === stream } }
                (self.sent, hasClientLeft) = (nil, false)
                return sent
            }
            if open.isEmpty, isForNext || !hasClientLeft { return nil }
            defer { if isLast { self = List() } else { sent = open } }
            return open
        }
    }

    private struct State: Sendable {
        var messages: [Message] = []
        var isClosed = false
    }

    private let list: Monitor<List>
    private let state = Monitor(State())

    /// Creates a stream that the test can send to.
    init(in list: Monitor<List>) {
        self.list = list
        list.update { $0.open.append(self) }
    }

    // MARK: The test

    func post(_ message: Message) {
        let isClosed = state.update { state in
            if !state.isClosed { state.messages.append(message) }
            return state.isClosed
        }
        if isClosed { message.fail() }
    }

    // MARK: The delivery

    /// Calls back when there is a message or the stream is closed. If the test sends the message
    /// later, the callback runs on the test's thread.
    func whenPosted(_ call: @escaping @Sendable () -> Void) -> Cancellation? {
        state.when({ $0.isClosed || !$0.messages.isEmpty }, call)
    }

    /// Removes and returns the next message, or nil if there is none, as in a closed stream.
    func takeNext() -> Message? {
        state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
    }

    /// Closes the stream, because its response has ended or its client has left.
    func close() {
        list.update { list in
            guard let index = list.open.firstIndex(where: { $0 === self }) else { return }
            list.open.remove(at: index)
            list.hasClientLeft = true
        }
        let rest = state.update { state in
            defer { state = State(isClosed: true) }
            return state.messages
        }
        for message in rest { message.fail() }
    }
}

extension OpenStream.Message {
    /// Tells the test that the client has left.
    fileprivate func fail() {
        if case .piece(_, let sent) = self { sent.resolve(with: .failure(Receipt.clientGone)) }
    }
}
