import APIKitLite
import Foundation

/// The connection of one client. On its own thread, it reads a request, gets it answered,
/// writes the answer, and then reads the next request.
///
/// A client that leaves is noticed at the latest after a twentieth of a second in which there was
/// nothing to write.
final class LoopbackConnection: Sendable {
    /// What follows an answer.
    private enum Next {
        case request
        /// The end, after the client has read the answer.
        case end
        /// The end without an answer, as in a network that fails.
        case loss
    }

    private struct State {
        var isClosed = false
        /// The events of the answer that is written.
        var events: EventQueue?
    }

    private static let continueResponse = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private let socket: Socket
    private let listener: LoopbackListener
    // While its lock is held, the descriptor is not closed.
    private let state = Locked(State())

    init(_ socket: Socket, of listener: LoopbackListener) {
        self.socket = socket
        self.listener = listener
    }

    /// Answers the requests of the client until the connection ends.
    func run() {
        var reader = HTTPRequestReader(socket.receive)
        var next = Next.request
        while case .request = next {
            do throws(HTTPRequestError) {
                let request = try reader.next { _ = socket.send([Self.continueResponse]) }
                guard let request else { break }
                next = try answer(request)
            } catch {
                // The method and the fields of the request may be wrong, so the answer is for this
                // one.
                let request = ParsedRequest(
                    method: "GET", target: "*", minorVersion: 1,
                    fields: [.init(name: "Connection", value: "close")])
                next = write(Answer(error, url: listener.url), to: request)
            }
        }
        // Closing a socket that has unread bytes would reset it, and the client could lose the
        // answer.
        if case .end = next {
            socket.finishSending()
            while !socket.receive().isEmpty {}
        }
        state.withLock { state in
            state.isClosed = true
            socket.close()
        }
    }

    /// Ends the connection without sending anything more, and cancels the request in flight.
    func close() {
        let events = state.withLock { state in
            if !state.isClosed { socket.interrupt() }
            state.isClosed = true
            return state.events
        }
        events?.close()
    }

    /// Gets a request answered, and writes the answer.
    private func answer(_ parsed: ParsedRequest) throws(HTTPRequestError) -> Next {
        let request = try parsed.urlRequest(authority: listener.authority)
        let events = EventQueue()
        let isClosed = state.withLock { state in
            state.events = events
            return state.isClosed
        }
        if isClosed { return .loss }
        var cancel: @Sendable () -> Void = {}
        do {
            cancel = try listener.answering(request) { events.add($0) }
        } catch {
            events.add(.failure(error))
        }
        if let next = write(events, to: parsed, request.url ?? listener.url) { return next }
        cancel()
        return .loss
    }

    /// Writes the events of an answer.
    ///
    /// - Returns: What follows; `nil` if the client has gone, or the server has stopped.
    private func write(_ events: EventQueue, to request: ParsedRequest, _ url: URL) -> Next? {
        var message: Answer.Message?
        while let event = events.next(unless: { socket.hasEnded }) {
            switch event {
            case .answer(let answer): return write(answer, to: request, url)
            case .head(let answer):
                do {
                    let begun = try answer.message(for: request)
                    guard socket.send([begun.head]) else { return nil }
                    message = begun
                } catch {
                    return write(Answer(error, url: url), to: request)
                }
            case .piece(let piece):
                guard socket.send(message?.framed(piece.data) ?? []) else { return nil }
                piece.didTake()
            case .end:
                guard let message, socket.send(message.end) else { return nil }
                return message.keepsAlive ? .request : .end
            case .cutHead(let answer, let count):
                let head = (try? answer.message(for: request))?.head(cutAfter: count)
                return socket.send([head ?? Data()]) ? .end : nil
            case .failure where message != nil: return .end
            case .failure(is URLError): return .loss
            case .failure(let error): return write(Answer(error, url: url), to: request)
            }
        }
        return nil
    }

    /// Writes a whole answer. If it cannot be sent, writes the reason in its place.
    private func write(_ answer: Answer, to request: ParsedRequest, _ url: URL? = nil) -> Next {
        do {
            let message = try answer.message(for: request)
            guard socket.send(message.pieces) else { return .loss }
            return message.keepsAlive ? .request : .end
        } catch {
            // The answer for this error has valid fields and the status 500.
            return url.map { write(Answer(error, url: $0), to: request) } ?? .loss
        }
    }
}

/// The events of an answer on their way to the thread that writes them.
private final class EventQueue: @unchecked Sendable {
    // Safe: the variables are used only while `condition` is locked.
    private let condition = NSCondition()
    private var events: [ResponseEvent] = []
    private var isClosed = false

    /// Adds an event. It does not wait for the client.
    func add(_ event: ResponseEvent) {
        condition.lock()
        defer { condition.unlock() }
        events.append(event)
        condition.signal()
    }

    /// Waits for the next event; `nil` after `close()`, or if the client has left.
    func next(unless hasLeft: () -> Bool) -> ResponseEvent? {
        condition.lock()
        defer { condition.unlock() }
        while events.isEmpty, !isClosed {
            if !condition.wait(until: Date() + 0.05), hasLeft() { return nil }
        }
        return isClosed ? nil : events.removeFirst()
    }

    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.signal()
    }
}
