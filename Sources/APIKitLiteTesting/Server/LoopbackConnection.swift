import APIKitLite
import Foundation

/// The connection of one client. The connection's thread reads a request, gets a response, writes
/// the response, and then reads the next request.
///
/// If the client leaves, the connection notices that within a tenth of a second, unless its thread
/// is writing.
final class LoopbackConnection: @unchecked Sendable {  // `condition` guards all variables.
    /// What follows a response.
    private enum Next {
        case request
        /// The connection closes after the client has read the response.
        case end
        /// The connection closes immediately, as when a network fails.
        case loss
    }

    /// The parts of one response. Only the sender of these parts and the thread that writes them
    /// have this object, so a late part cannot reach a later response.
    private final class PartQueue: @unchecked Sendable {  // The connection's `condition` guards it.
        /// The parts that have not been written, oldest first.
        var parts: [ResponsePart] = []
        /// Whether the last part has been added.
        var isComplete = false
    }

    private static let continueResponse = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private let socket: Socket
    private let listener: LoopbackListener
    private let condition = NSCondition()
    private var isResponding = false
    private var isClosed = false

    init(_ socket: Socket, of listener: LoopbackListener) {
        self.socket = socket
        self.listener = listener
    }

    /// Responds to the client's requests until the connection ends.
    func run() {
        var reader = HTTPRequestReader(socket.receive)
        var next = Next.request
        while case .request = next {
            do throws(HTTPRequestError) {
                let request = try reader.next { _ = socket.send([Self.continueResponse]) }
                guard let request else { break }
                next = respond(to: request, by: listener.responding)
            } catch {
                // The error is framed like a response to a GET, and then the connection closes.
                let request = HTTPRequestReader.Request(
                    request: URLRequest(url: listener.url), keepsAlive: false)
                next = respond(to: request) { _, respond in
                    respond(.failure(error))
                    return {}
                }
            }
        }
        // Closing a socket with unread bytes would reset the connection, and the client could lose
        // the response.
        if case .end = next {
            socket.finishSending()
            while !socket.receive().isEmpty {}
        }
    }

    /// Closes the connection without sending anything more, and cancels the request in flight.
    ///
    /// The listener calls this method while it holds the lock under which it closes the socket.
    func close() {
        socket.interrupt()
        condition.withLock {
            isClosed = true
            condition.signal()
        }
    }

    /// Whether no response is in progress.
    var isIdle: Bool { condition.withLock { !isResponding } }

    /// Gets and writes the response to a request.
    private func respond(
        to request: HTTPRequestReader.Request, by responding: LoopbackServer.Responding
    ) -> Next {
        let isOpen = condition.withLock {
            isResponding = !isClosed
            return isResponding
        }
        guard isOpen else { return .loss }
        defer { condition.withLock { isResponding = false } }
        let queue = PartQueue()
        let cancel = responding(request.request) { [condition] part in
            condition.withLock {
                queue.parts.append(part)
                queue.isComplete = queue.isComplete || part.isLast
                condition.signal()
            }
        }
        let next = write(queue, to: request)
        // A request whose response is complete has ended, even if not all bytes could be sent.
        if !condition.withLock({ queue.isComplete }) { cancel() }
        return next
    }

    /// Writes the parts of a response, until the last part, or until the client has left or the
    /// server has stopped.
    private func write(_ queue: PartQueue, to request: HTTPRequestReader.Request) -> Next {
        // The message whose head was sent; nil before a head is sent.
        var begun: ResponsePart.Head.Message?
        var hasFinished = false
        // A client that has finished sending may be waiting for the response or may have left. A
        // probe shows which is true. The server sends only one probe, because a second probe would
        // make the first probe's byte readable.
        func hasLeft() -> Bool {
            if hasFinished || !socket.hasEnded { return hasFinished && socket.isBroken }
            hasFinished = begun == nil
            if hasFinished { socket.probe() }
            return !hasFinished
        }
        while var part = nextPart(of: queue, unless: hasLeft) {
            if begun == nil, part.head == nil, let error = part.error {
                if error is URLError { return .loss }
                part = .report(of: error)
            }
            if begun == nil, !part.isLast, socket.hasEnded { hasFinished = true }
            // The first part has the head.
            guard let message = begun ?? part.head?.message(for: request) else { return .loss }
            var bytes = begun == nil ? [message.head] : []
            begun = message
            bytes += part.body.flatMap(message.framed)
            if case .success = part.end { bytes += message.end }
            guard socket.send(bytes) else { return .loss }
            for receipt in part.receipts { receipt.didTake() }
            if part.isLast { return message.keepsAlive && part.error == nil ? .request : .end }
        }
        return .loss
    }

    /// Waits for the next part. Returns `nil` after `close()`, or if the client has left.
    private func nextPart(of queue: PartQueue, unless hasLeft: () -> Bool) -> ResponsePart? {
        condition.lock()
        defer { condition.unlock() }
        while queue.parts.isEmpty, !isClosed {
            // While no thread reads from the socket, nothing reports that the client has left.
            if !condition.wait(until: Date() + 0.05), hasLeft() { return nil }
        }
        return isClosed ? nil : queue.parts.removeFirst()
    }
}
