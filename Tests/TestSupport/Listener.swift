/// A socket that accepts connections for as long as this object lives.
final class Listener: Sendable {
    let url: URL
    private let descriptor: Int32
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Calls a function for each connection, in a thread of its own. The function must not close the
    /// connection. The port zero means a free port.
    init(port: Int = 0, _ serve: @escaping @Sendable (_ connection: Int32) -> Void) throws {
        (descriptor, url) = try boundSocket(port: port)
        guard listen(descriptor, 512) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        Thread { [descriptor, hasEnded] in
            while case let accepted = accept(descriptor, nil, nil), accepted >= 0 {
                // Foundation on Linux closes descriptors that Dispatch still watches. Their numbers
                // are low.
                let high = fcntl(accepted, F_DUPFD_CLOEXEC, 600)
                if high >= 0 { close(accepted) }
                let connection = high >= 0 ? high : accepted
                Thread {
                    serve(connection)
                    close(connection)
                }.start()
            }
            hasEnded.signal()
        }.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        #if os(Linux)
        // Before the thread has left `accept`, the number of the socket must stay taken. Otherwise a
        // new listener may get it, and this thread would take that listener's connections. On Apple
        // platforms only `close` ends `accept`.
        hasEnded.wait()
        #endif
        close(descriptor)
    }
}
