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

    private let list: Monitor<List>
    /// The messages that are not delivered yet; nil once the stream is closed.
    private let messages = Monitor<[Message]?>([])

    /// Creates a stream that the test can send to.
    init(in list: Monitor<List>) {
        self.list = list
        list.update { $0.open.append(self) }
    }

    // MARK: The test

    func post(_ message: Message) {
        if messages.update({ $0?.append(message) }) == nil { message.fail() }
    }

    // MARK: The delivery

    /// Calls back when there is a message or the stream is closed. If the test sends the message
    /// later, the callback runs on the test's thread.
    func whenPosted(_ call: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        messages.when({ $0?.isEmpty != true }, call)
    }

    /// Removes and returns the next message, or nil if there is none, as in a closed stream.
    func takeNext() -> Message? {
        messages.withLock { $0?.isEmpty == false ? $0?.removeFirst() : nil }
    }

    /// Closes the stream, because its response has ended or its client has left.
    func close() {
        list.update { list in
            guard let index = list.open.firstIndex(where: { $0 === self }) else { return }
            list.open.remove(at: index)
            list.hasClientLeft = true
        }
        for message in messages.update({ $0.take() }) ?? [] { message.fail() }
    }
}

extension OpenStream.Message {
    /// Tells the test that the client has left.
    fileprivate func fail() {
        if case .piece(_, let sent) = self { sent.resolve(with: .failure(Receipt.clientGone)) }
    }
}
