import Foundation

/// A mock's stubs on a real socket: HTTP/1.1 on `http://127.0.0.1`, for clients that no
/// `URLProtocol` reaches.
///
/// Those are other processes, UI tests, command lines, watchOS. ``MockNetwork/serve(port:)`` starts one:
///
/// ```swift
/// let server = try network.serve()
/// print(server.url)  // curl this
/// server.stop()
/// ```
///
/// It accepts connections of this machine only and speaks no TLS. It stops with its network, if not
/// before.
public final class LoopbackServer: Sendable {
    /// Answers a request, from any thread, with nothing after the last reply. Returns what to call when the client has
    /// gone and the answer is no longer wanted.
    typealias Answering =
        @Sendable (
            URLRequest, @escaping @Sendable (Reply) -> Void
        ) throws -> @Sendable () -> Void

    /// `http://127.0.0.1` and the port.
    public var url: URL { listener.url }
    /// The port, from 1 to 65535.
    public let port: Int

    private let listener: LoopbackListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: 0 for one that the system picks, so that servers do not meet.
    ///   - answering: Called on the server's own queue, as is what it returns. Neither may block.
    /// - Throws: ``LoopbackServerError`` when the port is taken or cannot be used.
    init(port: Int = 0, answering: @escaping Answering) throws {
        let socket = try Socket.listening(onPort: port)
        self.port = socket.port
        listener = LoopbackListener(socket, answering: answering)
    }

    deinit {
        listener.stop()
    }

    /// Closes the port and every connection, and cancels what is being answered.
    ///
    /// All of them are closed when this returns. Stopping twice does nothing.
    public func stop() {
        listener.stop()
    }
}
