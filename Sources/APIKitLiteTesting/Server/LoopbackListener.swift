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
    /// The connections whose sockets are open, oldest first.
    private var connections: [(connection: LoopbackConnection, thread: Thread)] = []
    private var isStopped = false
    private var isListening = true

    /// Starts a thread that accepts connections until `stop()` is called.
    ///
    /// - Throws: ``MockError`` if the port is in use or cannot be used.
    init(port: Int, responding: @escaping LoopbackServer.Responding) throws {
        socket = try Socket(listeningOnPort: port)
        self.responding = responding
        // An IPv4 address and a port always form a valid URL.
        url = URL(string: "http://127.0.0.1:\(socket.port)")!
        Thread.detachNewThread { [self] in accept() }
    }

    /// Closes the socket and all connections, and waits until they are closed.
    ///
    /// If the caller runs on a connection's thread, does not wait for the connections: its own
    /// connection closes later, and another connection's thread may be waiting here too.
    func stop() {
        condition.lock()
        defer { condition.unlock() }
        if !isStopped { socket.interrupt() }
        isStopped = true
        for (connection, _) in connections { connection.close() }
        let isOnConnection = connections.contains { $0.thread === Thread.current }
        while isListening || !isOnConnection && !connections.isEmpty { condition.wait() }
    }

    private func accept() {
        while true {
            let (accepted, isRefused) = socket.accept()
            condition.lock()
            defer { condition.unlock() }
            if isStopped {
                accepted?.close()
                socket.close()
                isListening = false
                return condition.broadcast()
            }
            if let accepted {
                start(accepted)
            } else if isRefused {
                // The usual cause is that no file descriptors are left. The socket stays ready, so
                // without a pause this loop would use a whole CPU. Closing the oldest connection
                // that has no response in progress frees a descriptor.
                connections.first { $0.connection.isIdle }?.connection.close()
                _ = condition.wait(until: Date() + 0.05)
            }
        }
    }

    /// Starts the thread of a connection. Call this method while the lock is held.
    private func start(_ socket: Socket) {
        let connection = LoopbackConnection(socket, of: self)
        let thread = Thread { [self] in
            connection.run()
            condition.withLock {
                connections.removeAll { $0.connection === connection }
                socket.close()
                condition.broadcast()
            }
            closedConnections.update { $0 += 1 }
        }
        connections.append((connection, thread))
        thread.start()
    }
}
