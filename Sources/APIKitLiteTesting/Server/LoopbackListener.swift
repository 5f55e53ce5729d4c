import Foundation

/// The listening socket of a ``LoopbackServer`` and the connections that it accepted.
///
/// One thread accepts, and each connection has its own thread.
final class LoopbackListener: @unchecked Sendable {  // `condition` owns all variables.
    /// The largest number of connections at the same time. Others wait until one of them ends.
    private static let limit = 1_000

    let answering: LoopbackServer.Answering
    let url: URL
    let closedConnections = Awaitable(0)

    private let socket: Socket
    private let wake: Socket.Wake
    private let condition = NSCondition()
    private var connections: [ObjectIdentifier: (connection: LoopbackConnection, thread: Thread)] =
        [:]
    private var isStopped = false
    private var isListening = true

    /// Starts to accept connections.
    ///
    /// - Parameters:
    ///   - socket: A socket that listens. The listener closes it.
    ///   - answering: Answers the requests, on the threads of the connections.
    /// - Throws: ``MockError`` when the process has no descriptors left.
    init(_ socket: Socket, answering: @escaping LoopbackServer.Answering) throws {
        self.socket = socket
        self.answering = answering
        // An IPv4 address and a port always form a valid URL.
        url = URL(string: "http://127.0.0.1:\(socket.port)")!
        do {
            wake = try Socket.Wake(port: socket.port)
        } catch {
            socket.close()
            throw error
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Closes the socket and all connections, and waits until they are closed.
    ///
    /// If it is called on the thread of a connection, this connection is closed later.
    func stop() {
        condition.lock()
        defer { condition.unlock() }
        if !isStopped { wake.call() }
        isStopped = true
        condition.broadcast()
        for (connection, _) in connections.values { connection.close() }
        let current = Thread.current
        while isListening || connections.values.contains(where: { $0.thread !== current }) {
            condition.wait()
        }
    }

    private func accept() {
        while let connection = socket.next(until: wake) { start(connection) }
        condition.lock()
        defer { condition.unlock() }
        socket.close()
        wake.close()
        isListening = false
        condition.broadcast()
    }

    private func start(_ socket: Socket) {
        condition.lock()
        defer { condition.unlock() }
        while connections.count >= Self.limit, !isStopped { condition.wait() }
        if isStopped { return socket.close() }
        let connection = LoopbackConnection(socket, of: self)
        let thread = Thread { [self] in
            connection.run()
            didEnd(connection)
        }
        connections[ObjectIdentifier(connection)] = (connection, thread)
        thread.start()
    }

    private func didEnd(_ connection: LoopbackConnection) {
        condition.lock()
        connections[ObjectIdentifier(connection)] = nil
        condition.broadcast()
        condition.unlock()
        closedConnections.update { $0 += 1 }
    }
}
