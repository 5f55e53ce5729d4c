import Foundation

/// The listening sockets of a ``LoopbackServer`` and the connections that they accepted.
final class LoopbackListener: @unchecked Sendable {  // Safe: variables are used on `queue` only.
    /// The serial queue of the listener and of all its connections.
    let queue = DispatchQueue(label: "APIKitLiteTesting.LoopbackServer")
    /// Answers the requests.
    let answering: LoopbackServer.Answering
    /// The URL of the server, without a path.
    let url: URL
    /// The host and the port, for a request that has no `Host` field.
    let authority: String

    /// How many connections have ended.
    let closedConnections = AwaitableCounter()

    /// Marks `queue`, so that code can find out whether it runs there.
    private let queueMark = DispatchSpecificKey<Void>()
    /// Has one member for each socket that is open.
    private let openSockets = DispatchGroup()
    // All connections share it, because bytes are parsed before the next read.
    private var scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 256 * 1024, alignment: 16)
    /// One source for each listening socket.
    private var sources: [ReadinessSource] = []
    private var connections: [ObjectIdentifier: LoopbackConnection] = [:]
    private var isStopped = false

    /// Starts to accept connections.
    ///
    /// - Parameters:
    ///   - sockets: Sockets that listen on one port. The listener closes them.
    ///   - port: That port.
    ///   - answering: Answers the requests, on `queue`.
    init(_ sockets: [Socket], port: Int, answering: @escaping LoopbackServer.Answering) {
        self.answering = answering
        authority = "127.0.0.1:\(port)"
        // An IPv4 address and a port always form a valid URL.
        url = URL(string: "http://\(authority)")!
        queue.setSpecific(key: queueMark, value: ())
        queue.sync { sources = sockets.map(watch) }
    }

    /// Accepts connections whenever a listening socket has some, until its source is cancelled.
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

    /// Closes all sockets.
    ///
    /// They are closed when it returns. If it is called on `queue`, they are closed there later.
    func stop() {
        guard DispatchQueue.getSpecific(key: queueMark) == nil else { return closeAll() }
        queue.sync { closeAll() }
        openSockets.wait()
    }

    /// Reads bytes that have arrived.
    ///
    /// - Returns: The result, and the bytes, which are valid until the next call.
    func receive(from socket: Socket) -> (Socket.Transfer, UnsafeRawBufferPointer) {
        let transfer = socket.receive(into: scratch)
        let count = if case .moved(let count) = transfer { count } else { 0 }
        return (transfer, UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    /// Forgets a closed connection.
    func didClose(_ connection: LoopbackConnection) {
        connections[ObjectIdentifier(connection)] = nil
        closedConnections.update { $0 += 1 }
    }

    private func closeAll() {
        guard !isStopped else { return }
        isStopped = true
        for source in sources { source.cancel() }
        for connection in Array(connections.values) { connection.close() }
        // Frees the memory now, because a stopped server may live long.
        scratch.deallocate()
        scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Accepts all connections that wait.
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
                // The socket stays ready, so without a pause this would be a busy loop.
                for source in sources { source.pause() }
                queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
                    for source in self?.sources ?? [] { source.resume() }
                }
                return
            }
        }
    }
}
