import Foundation

extension MockNetwork {
    /// Serves the same stubs on a real socket, `http://127.0.0.1` and `http://[::1]`, for clients in
    /// other processes.
    ///
    /// What comes there is in ``requests`` and counts for ``verify(fileID:line:)``. A request that no stub
    /// matches is answered 501, with the text that says why; an error of a handler 500, with its
    /// own text; a stubbed `URLError` closes the connection without an answer, so that the client
    /// sees an error of its own making. The server stops with ``LoopbackServer/stop()``, or when the
    /// network is gone.
    ///
    /// - Parameter port: 0 for a free one; its number is in the server's `url`.
    /// - Throws: ``LoopbackServerError`` where the port cannot be had.
    public func serve(port: Int = 0) throws -> LoopbackServer {
        let core = core
        let server = try LoopbackServer(port: port) { [weak servers, weak core] port in
            core?.removeServer()
            let stopped = servers?.withLock { servers in
                defer { servers.removeAll { $0.port == port } }
                return servers
            }
            // Lets go of the server here, and not while the list is locked.
            _ = stopped
        } answering: { request, respond in
            core.load(
                request, for: SocketClient.any, passage: Passage(overSocket: request),
                respond: respond
            ).cancel
        }
        core.addServer()
        servers.withLock { $0.append(server) }
        return server
    }
}

extension MockError: AnswerableOverHTTP {
    var status: Int { reason == .unmatched ? 501 : 500 }
}
