import Foundation

/// One client's connection: reads requests, has one after the other answered, writes the answers.
final class LoopbackConnection: @unchecked Sendable {  // Safe: used on one queue only.
    private enum Phase: Equatable {
        case reading
        case answering
        case writing(keepsAlive: Bool)
        /// The last answer has been written. What still arrives is thrown away: closing a socket
        /// that has unread bytes would reset it, and the client could lose the answer.
        case draining
        case closed
    }

    private static let goOn = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    // A client that pipelines more than this waits until the requests before are answered.
    private static let pipelineLimit = 1024 * 1024
    // One fast sender must not keep everybody else waiting.
    private static let readsPerTurn = 16

    private let socket: Socket
    private let listener: LoopbackListener
    private var reads: ReadinessSource?
    private var writes: ReadinessSource?
    private var parser = HTTPRequestParser()
    private var sendBuffer = SendBuffer()
    private var phase = Phase.reading
    private var exchange: LoopbackExchange?
    private var exchangeCount = 0
    /// The client sends no more.
    private var hasEnded = false
    /// The client has pipelined so much that nothing more is read.
    private var isHeldBack = false

    /// - Parameter onClosed: Called once, when nothing watches the socket any more.
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

    func start() {
        reads?.resume()
    }

    /// Closes without another word, and cancels the request in flight.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        reads?.cancel()
        writes?.cancel()
        sendBuffer = SendBuffer()
        exchange?.cancel()
        exchange = nil
        listener.didClose(self)
    }

    private var isWriting: Bool {
        if case .writing = phase { true } else { false }
    }

    // MARK: Reading

    /// Reads until the socket would block, ends or fails: libdispatch tells once of a hang-up, and
    /// never of anything after it.
    private func readAvailable() {
        for _ in 0..<Self.readsPerTurn {
            guard phase != .closed, !hasEnded, !isHeldBack else { return }
            let (transfer, bytes) = listener.receive(from: socket)
            switch transfer {
            case .blocked: return
            case .failed: return close()
            case .finished:
                // It would be ready from now on, forever, with nothing to read.
                reads?.pause()
                hasEnded = true
            case .moved:
                if phase != .draining { parser.append(bytes) }
                if phase == .answering || isWriting { holdBack() }
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

    private func holdBack() {
        guard parser.pendingBytes > Self.pipelineLimit else { return }
        isHeldBack = true
        reads?.pause()
    }

    private func readOn() {
        guard isHeldBack else { return }
        isHeldBack = false
        reads?.resume()
        // What the source had to tell, it may have told already.
        listener.queue.async { [weak self] in self?.readAvailable() }
    }

    private func readNext() {
        do throws(HTTPRequestError) {
            let request = try parser.next()
            if parser.pendingBytes <= Self.pipelineLimit { readOn() }
            if let request {
                answer(request)
            } else if hasEnded {
                guard parser.isInsideRequest else { return close() }
                throw HTTPRequestError("The connection ended within a request.")
            } else if parser.takeContinue() {
                write([Self.goOn])
            }
        } catch {
            refuse(error)
        }
    }

    // MARK: Answering

    private func answer(_ parsed: ParsedRequest) {
        let request: URLRequest
        do {
            request = try parsed.urlRequest(authority: listener.authority)
        } catch {
            return refuse(error)
        }
        var awaited = parsed
        // From here on the body is the stub's alone.
        awaited.body = Data()
        exchangeCount += 1
        let number = exchangeCount
        exchange = LoopbackExchange(
            number: number, request: awaited, url: request.url ?? listener.url)
        phase = .answering
        let respond: @Sendable (ResponseEvent) -> Void = {
            [weak self, queue = listener.queue] event in
            // Never at once, even from this queue: pipelined requests would nest ever deeper.
            queue.async { [weak self] in self?.receive(event, number) }
        }
        do {
            let cancel = try listener.answering(request, respond)
            exchange?.cancel = cancel
            // The server may have been stopped from within the call.
            if phase == .closed { cancel() }
        } catch {
            respond(.failure(error))
        }
        if hasEnded || isHeldBack { watchForHangUp() }
    }

    private func receive(_ event: ResponseEvent, _ number: Int) {
        guard let exchange, exchange.number == number else { return }
        if event.isLast { self.exchange = nil }
        switch event {
        case .answer(let answer):
            send(answer, for: exchange)
        case .head(let answer):
            send(answer, for: exchange, isWhole: false)
        case .piece(let piece):
            write(exchange.message?.framed(piece) ?? [])
        case .end:
            finish(exchange.message?.end ?? [], keepsAlive: exchange.message?.keepsAlive ?? false)
        case .cutHead(let answer, let count):
            let message = try? answer.message(for: exchange.request)
            finish([exchange.rest(of: message?.head(cutAfter: count) ?? Data())], keepsAlive: false)
        case .failure where exchange.message != nil:
            finish([], keepsAlive: false)
        // To the client it is a failing network.
        case .failure(is URLError): close()
        case .failure(let error):
            send(Answer(error, url: exchange.url), for: exchange)
        }
    }

    private func refuse(_ error: HTTPRequestError) {
        // What was asked is not known for sure, so this stands for it.
        let request = ParsedRequest(
            method: "GET", target: "*", minorVersion: 1,
            fields: [.init(name: "Connection", value: "close")])
        let url = listener.url
        let exchange = LoopbackExchange(number: 0, request: request, url: url)
        send(Answer(error, url: url), for: exchange)
    }

    /// Cancels the request in flight if the client, which sends no more or is not read, has gone.
    ///
    /// A client that closed its socket and one that only finished sending, as `nc -N` does, look
    /// the same until something is written: the first then resets the connection, and the second
    /// must still get its answer. So the bytes that every answer begins with are sent ahead, one at
    /// a time; the first after a moment, so that a quick answer goes without. When there are no more
    /// of them, the system asks the peer.
    private func watchForHangUp() {
        guard exchange?.isWatched == false else { return }
        exchange?.isWatched = true
        socket.checkOnPeer()
        lookForHangUp(after: 20)
    }

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

    private func send(_ answer: Answer, for exchange: LoopbackExchange, isWhole: Bool = true) {
        do {
            var message = try answer.message(for: exchange.request)
            message.head = exchange.rest(of: message.head)
            guard !isWhole else { return finish(message.pieces, keepsAlive: message.keepsAlive) }
            self.exchange?.message = message
            write([message.head])
        } catch {
            self.exchange = nil
            // Ends here: of an error's answer, only the status is not ours, and this one's is 500.
            send(Answer(error, url: exchange.url), for: exchange)
        }
    }

    private func finish(_ pieces: [Data], keepsAlive: Bool) {
        phase = .writing(keepsAlive: keepsAlive)
        write(pieces)
    }

    private func write(_ pieces: [Data]) {
        for piece in pieces { sendBuffer.append(piece) }
        flush()
    }

    private func flush() {
        guard phase != .closed else { return }
        switch sendBuffer.send(through: socket) {
        case .more: writes?.resume()
        case .failed: close()
        case .empty:
            writes?.pause()
            guard case .writing(let keepsAlive) = phase else { return }
            phase = .reading
            keepsAlive ? readNext() : hangUp()
        }
    }

    private func hangUp() {
        guard !hasEnded else { return close() }
        phase = .draining
        socket.finishSending()
        readOn()
    }
}
