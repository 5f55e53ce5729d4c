import APIKitLite
import Foundation

extension MockNetwork {
    /// Starts a server that responds from the network's stubs, for clients in other processes.
    ///
    /// The server listens on `http://127.0.0.1`. Requests to the server appear in ``requests`` and
    /// count toward ``verify()``. A client that uses the server as its `http` proxy reaches the
    /// stubs of any host. Errors reach the client as follows:
    ///
    /// - For bytes that are not an HTTP/1.1 or HTTP/1.0 request, the client receives status 400,
    ///   with the reason as the body.
    /// - For a request to which no stub and no closure responds, the client receives status 501,
    ///   with the error message as the body.
    /// - For a `URLError`, or any error after the headers, the server closes the connection, so the
    ///   client reports its own error.
    /// - For any other error, such as an error thrown by a handler, the client receives status 500,
    ///   with the error message as the body.
    ///
    /// The server stops when you call ``LoopbackServer/stop()``, or when the network and every
    /// reference to the server are released.
    ///
    /// - Parameter port: The port, or 0 for a free port, whose number is in the server's `url`.
    /// - Returns: The server, which already accepts connections.
    /// - Throws: ``MockError`` if the port is taken or cannot be used.
    public func serve(port: Int = 0) throws -> LoopbackServer {
        let core = core
        let server = try LoopbackServer(port: port) { [weak servers, weak core] id in
            core?.setPort(nil, ofServer: id)
            // The server is released outside the lock, because its `deinit` calls this closure.
            _ = servers?.withLock { $0.removeValue(forKey: id) }
        } responding: { received, respond in
            let request = ClientRequest(to: core, from: SocketClient.any, receive: respond)
            request.send(received)
            return request.cancel
        }
        core.setPort(server.port, ofServer: ObjectIdentifier(server))
        servers.withLock { $0[ObjectIdentifier(server)] = server }
        return server
    }
}

/// A client on a socket. Such a client never counts as waiting, because the server notices a closed
/// socket too late for `verify()`.
final class SocketClient: Client {
    static let any = SocketClient()

    var isWaiting: Bool { false }
    var readerState: ReaderState? { nil }
    // A request over a socket does not say how many mocks have passed it on.
    var passes: Int { 0 }
    // The client follows redirects and stores cookies itself.
    var cookieStorage: HTTPCookieStorage? { nil }

    private init() {}

    func follow(_ response: HTTPURLResponse, to request: URLRequest, _ decide: @escaping Decision) {
        decide(.success(nil))
    }
}
