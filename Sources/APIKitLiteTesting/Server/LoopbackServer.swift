import APIKitLite
import Foundation

/// A mock's stubs on a real socket: HTTP/1.1 on `http://127.0.0.1` and `http://[::1]`, for clients
/// that no `URLProtocol` reaches.
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
    /// Answers a request, from any thread, with nothing after the last event. Returns what to call when the client has
    /// gone and the answer is no longer wanted.
    typealias Answering =
        @Sendable (
            URLRequest, @escaping @Sendable (ResponseEvent) -> Void
        ) throws -> @Sendable () -> Void

    /// `http://127.0.0.1` and the port.
    public var url: URL { listener.url }
    /// The port, from 1 to 65535.
    public let port: Int

    private let listener: LoopbackListener
    /// Nil when it was stopped.
    private let onStop: Locked<StopAction?>

    private struct StopAction {
        let run: @Sendable () -> Void
    }

    /// How many connections have ended.
    var closedConnections: AwaitableCounter { listener.closedConnections }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: 0 for one that the system picks, so that servers do not meet.
    ///   - onStop: Called once when the server is stopped, while the port is still its own.
    ///   - answering: Called on the server's own queue, as is what it returns. Neither may block.
    /// - Throws: ``LoopbackServerError`` when the port is taken or cannot be used.
    init(
        port: Int = 0, onStop: @escaping @Sendable (_ port: Int) -> Void = { _ in },
        answering: @escaping Answering
    ) throws {
        let sockets = try Socket.listening(onPort: port)
        let port = sockets[0].port
        self.port = port
        self.onStop = Locked(StopAction { onStop(port) })
        listener = LoopbackListener(sockets, port: port, answering: answering)
    }

    deinit {
        stop()
    }

    /// Closes the port and every connection, and cancels what is being answered.
    ///
    /// All of them are closed when this returns. Stopping twice does nothing.
    public func stop() {
        let action = onStop.withLock { action in
            defer { action = nil }
            return action
        }
        action?.run()
        listener.stop()
    }
}
