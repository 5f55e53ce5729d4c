import Foundation

/// The listening sockets of a ``LoopbackServer`` and the connections that they accepted.
///
/// One thread accepts, and each connection has its own thread.
final class LoopbackListener: @unchecked Sendable {
    // Safe: the variables are used only while `condition` is locked.

    /// The largest number of connections at the same time. Others wait until one of them ends.
    private static let limit = 1_000

    let answering: LoopbackServer.Answering
    let url: URL
    /// The host and the port, for a request that has no `Host` field.
    let authority: String

    let closedConnections = AwaitableCounter()

    private let sockets: [Socket]
    private let wake: Socket.Wake
    private let condition = NSCondition()
    private var connections: [ObjectIdentifier: (connection: LoopbackConnection, thread: Thread)] =
        [:]
    private var isStopped = false
    private var isListening = true

    /// Starts to accept connections.
    ///
    /// - Parameters:
    ///   - sockets: Sockets that listen on one port. The listener closes them.
    ///   - port: That port.
    ///   - answering: Answers the requests, on the threads of the connections.
    /// - Throws: ``LoopbackServerError`` when the process has no descriptors left.
    init(_ sockets: [Socket], port: Int, answering: @escaping LoopbackServer.Answering) throws {
        self.sockets = sockets
        self.answering = answering
        authority = "127.0.0.1:\(port)"
        // An IPv4 address and a port always form a valid URL.
        url = URL(string: "http://\(authority)")!
        do {
            wake = try Socket.Wake(port: port)
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Closes all sockets, and waits until they are closed.
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
        while let socket = Socket.next(of: sockets, until: wake) { start(socket) }
        condition.lock()
        defer { condition.unlock() }
        for socket in sockets { socket.close() }
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
