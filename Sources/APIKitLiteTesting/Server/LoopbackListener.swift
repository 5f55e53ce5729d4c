import Foundation

/// The port of a ``LoopbackServer`` and the connections that came through it.
final class LoopbackListener: @unchecked Sendable {  // Safe: state is used on `queue` only.
    let queue = DispatchQueue(label: "APIKitLiteTesting.LoopbackServer")
    let answering: LoopbackServer.Answering
    let url: URL
    /// Host and port, for a client that names none.
    let authority: String

    /// How many connections have ended.
    let closedConnections = AwaitableCounter()

    private let queueMark = DispatchSpecificKey<Void>()
    /// Has one member for each socket that is open.
    private let openSockets = DispatchGroup()
    // One for all: what arrives in it is parsed before the next read.
    private var scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 256 * 1024, alignment: 16)
    private var sources: [ReadinessSource] = []
    private var connections: [ObjectIdentifier: LoopbackConnection] = [:]
    private var isStopped = false

    /// - Parameter sockets: They listen on one port.
    init(_ sockets: [Socket], port: Int, answering: @escaping LoopbackServer.Answering) {
        self.answering = answering
        authority = "127.0.0.1:\(port)"
        // Digits and dots always make a URL.
        url = URL(string: "http://\(authority)")!
        queue.setSpecific(key: queueMark, value: ())
        queue.sync { sources = sockets.map(watch) }
    }

    private func watch(_ socket: Socket) -> ReadinessSource {
        openSockets.enter()
        let source = ReadinessSource(
            DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue),
            handler: { [weak self] in self?.acceptWaiting(on: socket) },
            onCancelled: { [openSockets] in
                socket.close()
                openSockets.leave()
            })
        source.resume()
        return source
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
        closedConnections.update { $0 += 1 }
    }

    private func closeAll() {
        guard !isStopped else { return }
        isStopped = true
        for source in sources { source.cancel() }
        for connection in Array(connections.values) { connection.close() }
        // A stopped server may be kept for long.
        scratch.deallocate()
        scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private func acceptWaiting(on socket: Socket) {
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
                for source in sources { source.pause() }
                queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
                    for source in self?.sources ?? [] { source.resume() }
                }
                return
            }
        }
    }
}
