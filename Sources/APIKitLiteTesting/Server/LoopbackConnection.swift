import APIKitLite
import Foundation

/// The connection of one client. The connection's thread reads a request, gets a response, writes
/// the response, and then reads the next request.
///
/// If the client leaves, the connection notices that within a tenth of a second, unless its thread
/// is writing.
final class LoopbackConnection: Sendable {
    /// What follows a response.
    private enum Next {
        case request
        /// The connection closes after the client has read the response.
        case end
        /// The connection closes immediately, as when a network fails.
        case loss
    }

    private struct State {
        var isClosed = false
        /// The parts of the response being written.
        var parts: PartQueue?
    }

    private static let continueResponse = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private let socket: Socket
    private let listener: LoopbackListener
    // `run()` closes the descriptor while it holds this lock, so `close()` never uses a closed
    // descriptor.
    private let state = Locked(State())

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
                let parts = PartQueue()
                parts.add(.failure(error))
                next = write(parts, to: request) ?? .loss
            }
        }
        // Closing a socket with unread bytes would reset the connection, and the client could lose
        // the response.
        if case .end = next {
            socket.finishSending()
            while !socket.receive().isEmpty {}
        }
        state.withLock { state in
            state.isClosed = true
            socket.close()
        }
    }

    /// Closes the connection without sending anything more, and cancels the request in flight.
    func close() {
        let parts = state.withLock { state in
            if !state.isClosed { socket.interrupt() }
            state.isClosed = true
            return state.parts
        }
        parts?.close()
    }

    /// Whether no response is in progress.
    var isIdle: Bool { state.withLock { $0.parts == nil } }

    /// Gets and writes the response to a request.
    private func respond(to request: HTTPRequestReader.Request) -> Next {
        let parts = PartQueue()
        let isClosed = state.withLock { state in
            state.parts = parts
            return state.isClosed
        }
        defer { state.withLock { $0.parts = nil } }
        if isClosed { return .loss }
        let cancel = listener.responding(request.request) { parts.add($0) }
        if let next = write(parts, to: request) { return next }
        cancel()
        return .loss
    }

    /// Writes the parts of a response. Returns nil if the request must be cancelled, because the
    /// client has left or the server has stopped.
    private func write(_ queue: PartQueue, to request: HTTPRequestReader.Request) -> Next? {
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
        while var part = queue.next(unless: hasLeft) {
            if begun == nil, part.head == nil, let error = part.error {
                if error is URLError { return .loss }
                part = .report(of: error, url: request.request.url ?? listener.url)
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
}

/// The parts of a response on their way to the thread that writes them.
private final class PartQueue: @unchecked Sendable {  // `condition` guards all variables.
    private let condition = NSCondition()
    private var parts: [ResponsePart] = []
    private var isClosed = false

    /// Adds a part, without waiting for the client.
    func add(_ new: ResponsePart) {
        condition.lock()
        defer { condition.unlock() }
        parts.append(new)
        condition.signal()
    }

    /// Waits for the next part. Returns `nil` after `close()`, or if the client has left.
    func next(unless hasLeft: () -> Bool) -> ResponsePart? {
        condition.lock()
        defer { condition.unlock() }
        while parts.isEmpty, !isClosed {
            // While no thread reads from the socket, nothing reports that the client has left.
            if !condition.wait(until: Date() + 0.05), hasLeft() { return nil }
        }
        return isClosed ? nil : parts.removeFirst()
    }

    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.signal()
    }
}
