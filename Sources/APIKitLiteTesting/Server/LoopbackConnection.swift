import Foundation

/// The connection of one client. It reads requests, gets them answered one after another, and
/// writes the answers.
final class LoopbackConnection: @unchecked Sendable {  // Safe: used on the listener's queue only.
    /// What the connection is doing.
    private enum Phase: Equatable {
        case reading
        case answering
        case writing(keepsAlive: Bool)
        /// The last answer has been written. Bytes that still arrive are read and ignored: closing
        /// a socket that has unread bytes would reset it, and the client could lose the answer.
        case draining
        case closed
    }

    private static let continueResponse = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    // Bytes. If a client pipelines more, nothing is read until earlier requests are answered.
    private static let pipelineLimit = 1024 * 1024
    // One fast sender must not keep the other connections waiting.
    private static let readsPerTurn = 16

    private let socket: Socket
    private let listener: LoopbackListener
    private var reads: ReadinessSource?
    private var writes: ReadinessSource?
    private var parser = HTTPRequestParser()
    private var sendBuffer = SendBuffer()
    /// The pieces whose last bytes the system has not accepted.
    private var unsentPieces: [Piece] = []
    private var phase = Phase.reading
    private var exchange: LoopbackExchange?
    private var exchangeCount = 0
    /// Whether the client has finished sending.
    private var hasEnded = false
    /// Whether nothing is read because the client has pipelined too much.
    private var isHeldBack = false

    /// Creates a connection, which reads nothing before `start()`.
    ///
    /// - Parameters:
    ///   - socket: The accepted socket.
    ///   - listener: The listener that accepted it.
    ///   - onClosed: Called once, when no dispatch source uses the socket any more.
    init(_ socket: Socket, of listener: LoopbackListener, onClosed: @escaping @Sendable () -> Void)
    {
        self.socket = socket
        self.listener = listener
        let watching = DispatchGroup()
        let queue = listener.queue
        let descriptor = socket.descriptor
        watching.enter()
        watching.enter()
        reads = ReadinessSource(
            DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue),
            handler: { [weak self] in self?.readAvailable() }, onCancelled: { watching.leave() })
        writes = ReadinessSource(
            DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue),
            handler: { [weak self] in self?.flush() }, onCancelled: { watching.leave() })
        watching.notify(queue: queue, execute: onClosed)
    }

    /// Starts to read.
    func start() {
        reads?.resume()
    }

    /// Closes the connection without sending anything more, and cancels the request in flight.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        reads?.cancel()
        writes?.cancel()
        sendBuffer = SendBuffer()
        unsentPieces = []
        exchange?.cancel()
        exchange = nil
        listener.didClose(self)
    }

    private var isWriting: Bool {
        if case .writing = phase { true } else { false }
    }

    // MARK: Reading

    /// Reads until the socket would block, ends or fails.
    ///
    /// Reading less would lose bytes: libdispatch reports a hang-up once, and nothing after it.
    private func readAvailable() {
        for _ in 0..<Self.readsPerTurn {
            guard phase != .closed, !hasEnded, !isHeldBack else { return }
            let (transfer, bytes) = listener.receive(from: socket)
            switch transfer {
            case .blocked: return
            case .failed: return close()
            case .finished:
                // From now on, the source would always report the socket as ready.
                reads?.pause()
                hasEnded = true
            case .moved:
                if phase != .draining { parser.append(bytes) }
                if phase == .answering || isWriting { pauseReadingIfFull() }
            }
            switch phase {
            case .reading: readNext()
            case .answering: if hasEnded || isHeldBack { watchForHangUp() }
            case .draining: if hasEnded { close() }
            case .writing, .closed: break
            }
        }
        listener.queue.async { [weak self] in self?.readAvailable() }
    }

    /// Stops reading if the client has pipelined too much.
    private func pauseReadingIfFull() {
        guard parser.pendingBytes > Self.pipelineLimit else { return }
        isHeldBack = true
        reads?.pause()
    }

    /// Continues to read after `pauseReadingIfFull()`.
    private func resumeReading() {
        guard isHeldBack else { return }
        isHeldBack = false
        reads?.resume()
        // The source may have reported the waiting bytes before, and may not report them again.
        listener.queue.async { [weak self] in self?.readAvailable() }
    }

    /// Answers the next complete request, if there is one.
    private func readNext() {
        do throws(HTTPRequestError) {
            let request = try parser.next()
            if parser.pendingBytes <= Self.pipelineLimit { resumeReading() }
            if let request {
                answer(request)
            } else if hasEnded {
                guard parser.isInsideRequest else { return close() }
                throw HTTPRequestError("The connection ended within a request.")
            } else if parser.takeContinue() {
                write([Self.continueResponse])
            }
        } catch {
            refuse(error)
        }
    }

    // MARK: Answering

    /// Gets a request answered.
    private func answer(_ parsed: ParsedRequest) {
        let request: URLRequest
        do {
            request = try parsed.urlRequest(authority: listener.authority)
        } catch {
            return refuse(error)
        }
        var bodiless = parsed
        // The answer does not depend on the body, so the connection does not keep a copy.
        bodiless.body = Data()
        exchangeCount += 1
        let number = exchangeCount
        exchange = LoopbackExchange(
            number: number, request: bodiless, url: request.url ?? listener.url)
        phase = .answering
        let respond: @Sendable (ResponseEvent) -> Void = {
            [weak self, queue = listener.queue] event in
            // Always later, even on this queue: otherwise pipelined requests would recurse.
            queue.async { [weak self] in self?.receive(event, number) }
        }
        do {
            let cancel = try listener.answering(request, respond)
            exchange?.cancel = cancel
            // The call may have stopped the server.
            if phase == .closed { cancel() }
        } catch {
            respond(.failure(error))
        }
        if hasEnded || isHeldBack { watchForHangUp() }
    }

    /// Writes one event of the response, unless it belongs to an earlier request.
    private func receive(_ event: ResponseEvent, _ number: Int) {
        guard let exchange, exchange.number == number else { return }
        if event.isLast { self.exchange = nil }
        switch event {
        case .answer(let answer):
            send(answer, for: exchange)
        case .head(let answer):
            send(answer, for: exchange, isWhole: false)
        case .piece(let piece):
            if piece.isAwaited { unsentPieces.append(piece) }
            write(self.exchange?.framed(piece.data) ?? [])
        case .end:
            finish(exchange.message?.end ?? [], keepsAlive: exchange.message?.keepsAlive ?? false)
        case .cutHead(let answer, let count):
            let message = try? answer.message(for: exchange.request)
            finish([exchange.rest(of: message?.head(cutAfter: count) ?? Data())], keepsAlive: false)
        case .failure where exchange.message != nil:
            finish([], keepsAlive: false)
        // The client must see a network that fails.
        case .failure(is URLError): close()
        case .failure(let error):
            send(Answer(error, url: exchange.url), for: exchange)
        }
    }

    /// Answers a malformed request, and closes the connection.
    private func refuse(_ error: HTTPRequestError) {
        // The method and the fields of the request may be wrong, so the answer is for this one.
        let request = ParsedRequest(
            method: "GET", target: "*", minorVersion: 1,
            fields: [.init(name: "Connection", value: "close")])
        let url = listener.url
        let exchange = LoopbackExchange(number: 0, request: request, url: url)
        send(Answer(error, url: url), for: exchange)
    }

    /// Cancels the request in flight when the client has closed its socket.
    ///
    /// It is needed when the client has finished sending, or when nothing is read. A client that
    /// closed its socket and a client that only finished sending, as `nc -N` does, look the same
    /// until something is written. Then the first resets the connection; the second must still get
    /// its answer. So the first bytes, which are the same in every answer, are sent early, one at a
    /// time. Between two chunks of a body, zeros are sent, with which the size of a chunk may begin.
    /// The first byte is sent after 20 ms, and not at all if the answer comes sooner. After the last
    /// of these bytes, TCP keep-alive detects a closed socket.
    private func watchForHangUp() {
        guard exchange?.isWatched == false else { return }
        exchange?.isWatched = true
        socket.checkOnPeer()
        lookForHangUp(after: 20)
    }

    /// Looks for a closed socket after a delay, and again after twice that delay, at most 2 s.
    private func lookForHangUp(after milliseconds: Int) {
        guard let number = exchange?.number else { return }
        listener.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            guard let self, self.exchange?.number == number else { return }
            if let next = self.exchange?.sendAhead() { self.write([next]) }
            if self.socket.isReset { return self.close() }
            self.lookForHangUp(after: min(2 * milliseconds, 2000))
        }
    }

    // MARK: Writing

    /// Writes an answer, or only its head.
    private func send(_ answer: Answer, for exchange: LoopbackExchange, isWhole: Bool = true) {
        do {
            var message = try answer.message(for: exchange.request)
            message.head = exchange.rest(of: message.head)
            guard !isWhole else { return finish(message.pieces, keepsAlive: message.keepsAlive) }
            self.exchange?.begin(message)
            write([message.head])
        } catch {
            self.exchange = nil
            // No endless recursion: the answer for this error has valid fields and the status 500.
            send(Answer(error, url: exchange.url), for: exchange)
        }
    }

    /// Writes the last pieces of an answer.
    private func finish(_ pieces: [Data], keepsAlive: Bool) {
        phase = .writing(keepsAlive: keepsAlive)
        write(pieces)
    }

    private func write(_ pieces: [Data]) {
        for piece in pieces { sendBuffer.append(piece) }
        flush()
    }

    /// Sends what the socket accepts, and continues after the answer when all is sent.
    private func flush() {
        guard phase != .closed else { return }
        switch sendBuffer.send(through: socket) {
        case .more: writes?.resume()
        case .failed: close()
        case .empty:
            writes?.pause()
            let sent = unsentPieces
            unsentPieces = []
            for piece in sent { piece.didTake() }
            guard case .writing(let keepsAlive) = phase else { return }
            phase = .reading
            keepsAlive ? readNext() : hangUp()
        }
    }

    /// Ends the connection after the last answer.
    private func hangUp() {
        guard !hasEnded else { return close() }
        phase = .draining
        socket.finishSending()
        resumeReading()
    }
}
