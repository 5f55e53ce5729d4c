import Foundation

/// The port of a ``LoopbackServer`` and the connections that came through it.
final class LoopbackListener: @unchecked Sendable {  // Safe: state is used on `queue` only.
    let queue = DispatchQueue(label: "APIKitLiteTesting.LoopbackServer")
    let answering: LoopbackServer.Answering
    let url: URL
    /// Host and port, for a client that names none.
    let authority: String

    private let socket: Socket
    private let queueMark = DispatchSpecificKey<Void>()
    /// Has one member for each socket that is open.
    private let openSockets = DispatchGroup()
    // One for all: what arrives in it is parsed before the next read.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 256 * 1024, alignment: 16)
    private var source: ReadinessSource?
    private var connections: [ObjectIdentifier: LoopbackConnection] = [:]
    private var isStopped = false

    init(_ socket: Socket, answering: @escaping LoopbackServer.Answering) {
        self.socket = socket
        self.answering = answering
        authority = "127.0.0.1:\(socket.port)"
        // Digits and dots always make a URL.
        url = URL(string: "http://\(authority)")!
        queue.setSpecific(key: queueMark, value: ())
        openSockets.enter()
        queue.sync {
            let source = ReadinessSource(
                DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue),
                handler: { [weak self] in self?.acceptWaiting() },
                onCancelled: { [openSockets] in
                    socket.close()
                    openSockets.leave()
                })
            source.resume()
            self.source = source
        }
    }

    deinit {
        scratch.deallocate()
    }

    /// Closes everything. Returns when the sockets are closed, unless it is called from the queue,
    /// on which they are closed right after.
    func stop() {
        guard DispatchQueue.getSpecific(key: queueMark) == nil else { return closeAll() }
        queue.sync { closeAll() }
        openSockets.wait()
    }

    /// Reads what has arrived. The bytes are valid until the next call.
    func receive(from socket: Socket) -> (Socket.Transfer, UnsafeRawBufferPointer) {
        let transfer = socket.receive(into: scratch)
        let count = if case .moved(let count) = transfer { count } else { 0 }
        return (transfer, UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    func didClose(_ connection: LoopbackConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    private func closeAll() {
        guard !isStopped else { return }
        isStopped = true
        source?.cancel()
        for connection in Array(connections.values) { connection.close() }
    }

    private func acceptWaiting() {
        while !isStopped {
            switch socket.accept() {
            case .accepted(let accepted):
                openSockets.enter()
                let connection = LoopbackConnection(accepted, of: self) { [openSockets] in
                    accepted.close()
                    openSockets.leave()
                }
                connections[ObjectIdentifier(connection)] = connection
                connection.start()
            case .noneWaiting:
                return
            case .exhausted:
                // The waiting connection stays "ready", so without a pause this would spin.
                source?.pause()
                queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
                    self?.source?.resume()
                }
                return
            }
        }
    }
}
