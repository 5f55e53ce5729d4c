import Foundation

extension MockError {
    /// Returns the error for a server that cannot listen on a port.
    static func cannotListen(on port: Int, _ reason: String) -> MockError {
        MockError(
            """
            Cannot listen on 127.0.0.1, port \(port): \(reason). Choose another port, or leave the \
            port out and read it from the server's `url`.
            """)
    }

    /// Returns the error for a failed system call.
    static func cannotListen(on port: Int, errno code: Int32) -> MockError {
        let isTaken = code == EADDRINUSE
        return cannotListen(
            on: port,
            isTaken ? "another program or server listens there" : String(cString: strerror(code)))
    }
}
