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

    private static let continueResponse = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private let socket: Socket
    private let listener: LoopbackListener
    private let isResponding = Locked(false)
    private let condition = NSCondition()
    /// The parts of the current response that have not been written.
    private var parts: [ResponsePart] = []
    /// The number of the current response.
    private var responseNumber = 0
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
                next = respond(to: request)
            } catch {
                // The error is framed like a response to a GET, and then the connection closes.
                let request = HTTPRequestReader.Request(
                    request: URLRequest(url: listener.url), keepsAlive: false)
                condition.withLock { parts = [.failure(error)] }
                next = writeResponse(to: request) ?? .loss
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
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.signal()
    }

    /// Whether no response is in progress.
    var isIdle: Bool { !isResponding.withLock { $0 } }

    /// Gets and writes the response to a request.
    private func respond(to request: HTTPRequestReader.Request) -> Next {
        isResponding.withLock { $0 = true }
        defer { isResponding.withLock { $0 = false } }
        let number = condition.withLock { () -> Int? in
            (parts, responseNumber) = ([], responseNumber + 1)
            return isClosed ? nil : responseNumber
        }
        guard let number else { return .loss }
        let cancel = listener.responding(request.request) { [self] in add($0, toResponse: number) }
        if let next = writeResponse(to: request) { return next }
        cancel()
        return .loss
    }

    /// Writes the parts of a response. Returns nil if the request must be cancelled, because the
    /// client has left or the server has stopped.
    private func writeResponse(to request: HTTPRequestReader.Request) -> Next? {
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
        while var part = nextPart(unless: hasLeft) {
            if begun == nil, part.head == nil, let error = part.error {
                if error is URLError { return .loss }
                part = .report(of: error)
            }
            if begun == nil, !part.isLast, socket.hasEnded { hasFinished = true }
            // The first part has the head.
            guard let message = begun ?? part.head?.message(for: request) else { return nil }
            var bytes = begun == nil ? [message.head] : []
            begun = message
            bytes += part.body.flatMap(message.framed)
            if case .success = part.end { bytes += message.end }
            // A response in a single part does not count as cancelled, even if it cannot be sent.
            guard socket.send(bytes) else { return part.completeHead == nil ? nil : .loss }
            for receipt in part.receipts { receipt.didTake() }
            if part.isLast { return message.keepsAlive && part.error == nil ? .request : .end }
        }
        return nil
    }

    /// Adds a part of a response, without waiting for the client. A part of an earlier response is
    /// ignored.
    private func add(_ part: ResponsePart, toResponse number: Int) {
        condition.lock()
        defer { condition.unlock() }
        if number != responseNumber { return }
        parts.append(part)
        condition.signal()
    }

    /// Waits for the next part. Returns `nil` after `close()`, or if the client has left.
    private func nextPart(unless hasLeft: () -> Bool) -> ResponsePart? {
        condition.lock()
        defer { condition.unlock() }
        while parts.isEmpty, !isClosed {
            // While no thread reads from the socket, nothing reports that the client has left.
            if !condition.wait(until: Date() + 0.05), hasLeft() { return nil }
        }
        return isClosed ? nil : parts.removeFirst()
    }
}
