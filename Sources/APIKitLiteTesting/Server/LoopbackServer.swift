import APIKitLite
import Foundation

/// An HTTP/1.1 server on `http://127.0.0.1` that responds from the stubs of a ``MockNetwork``.
///
/// Use a server for clients that no `URLProtocol` can reach: other processes, UI tests,
/// command-line tools, and apps on watchOS. Call ``MockNetwork/serve(port:)`` to start a server:
///
/// ```swift
/// let server = try network.serve()
/// print(server.url)  // curl this
/// server.stop()
/// ```
///
/// The server accepts connections only from this machine, and does not support TLS. The server
/// stops when you call ``stop()``, or when its network and every reference to the server are
/// released.
public final class LoopbackServer: Sendable {
    /// A function that responds to a request by calling a closure, on any thread, with each part of
    /// the response.
    ///
    /// The function returns a second function, which cancels the request. The server calls the
    /// second function if the server stops or the client leaves before the response ends.
    typealias Responding =
        @Sendable (
            URLRequest, @escaping @Sendable (ResponsePart) -> Void
        ) -> @Sendable () -> Void

    /// The URL of the server: `http://127.0.0.1` and the port.
    public var url: URL { listener.url }

    /// The port, from 1 to 65535.
    package var port: Int { url.port! }

    let listener: LoopbackListener
    private let onStop: @Sendable (ObjectIdentifier) -> Void

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - onStop: A closure that is called with the server's identity at each call of `stop()` and
    ///     when the server is released.
    ///   - responding: A function that responds to a request. The server calls this function and
    ///     the returned function on the thread of the connection.
    /// - Throws: ``MockError`` if the port is in use or cannot be used.
    init(
        port: Int = 0, onStop: @escaping @Sendable (ObjectIdentifier) -> Void = { _ in },
        responding: @escaping Responding
    ) throws {
        self.onStop = onStop
        listener = try LoopbackListener(port: port, responding: responding)
    }

    deinit {
        stop()
    }

    /// Closes the port and every connection, and cancels pending requests.
    ///
    /// When this function returns, the port and the connections are closed. If the predicate of a
    /// matcher calls this function for a request to this server, the connections close after this
    /// function returns. Calling this function again does nothing.
    public func stop() {
        onStop(ObjectIdentifier(self))
        listener.stop()
    }
}
