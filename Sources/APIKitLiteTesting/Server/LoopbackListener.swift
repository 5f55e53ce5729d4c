import Foundation

/// The listening socket of a ``LoopbackServer``, and the connections that it has accepted.
///
/// One thread accepts connections, and each connection has its own thread.
final class LoopbackListener: @unchecked Sendable {  // `condition` guards all variables.
    let responding: LoopbackServer.Responding
    let url: URL
    let closedConnections = Monitor(0)

    private let socket: Socket
    private let condition = NSCondition()
    /// The connections, oldest first.
    private var connections: [(connection: LoopbackConnection, thread: Thread)] = []
    private var isStopped = false
    private var isListening = true

    /// Starts a thread that accepts connections until `stop()` is called.
    init(_ socket: Socket, responding: @escaping LoopbackServer.Responding) {
        self.socket = socket
        self.responding = responding
        // An IPv4 address and a port always form a valid URL.
        url = URL(string: "http://127.0.0.1:\(socket.port)")!
        Thread.detachNewThread { [self] in accept() }
    }

    /// Closes the socket and all connections, and waits until they are closed.
    ///
    /// If the caller runs on a connection's thread, that connection closes later.
    func stop() {
        condition.lock()
        defer { condition.unlock() }
        if !isStopped { socket.interrupt() }
        isStopped = true
        for (connection, _) in connections { connection.close() }
        let current = Thread.current
        while isListening || connections.contains(where: { $0.thread !== current }) {
            condition.wait()
        }
    }

    private func accept() {
        while true {
            let (accepted, isRefused) = socket.accept()
            if condition.withLock({ isStopped }) {
                accepted?.close()
                break
            }
            if let accepted {
                start(accepted)
            } else if isRefused {
                // The usual cause is that no file descriptors are left. The socket stays ready, so
                // without a pause this loop would use a whole CPU. Closing the oldest connection
                // that has no response in progress frees a descriptor.
                let idle = condition.withLock { connections.first { $0.connection.isIdle } }
                idle?.connection.close()
                usleep(50_000)
            }
        }
        condition.lock()
        defer { condition.unlock() }
        socket.close()
        isListening = false
        condition.broadcast()
    }

    private func start(_ socket: Socket) {
        condition.lock()
        defer { condition.unlock() }
        if isStopped { return socket.close() }
        let connection = LoopbackConnection(socket, of: self)
        let thread = Thread { [self] in
            connection.run()
            didEnd(connection)
        }
        connections.append((connection, thread))
        thread.start()
    }

    private func didEnd(_ connection: LoopbackConnection) {
        condition.lock()
        connections.removeAll { $0.connection === connection }
        condition.broadcast()
        condition.unlock()
        closedConnections.update { $0 += 1 }
    }
}
