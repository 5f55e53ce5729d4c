import APIKitLite
import Foundation

/// The reason why a ``LoopbackServer`` could not start.
public struct LoopbackServerError: DescribedError, Sendable {
    /// A text that says what happened and what to do.
    public let description: String

    init(port: Int, _ reason: String) {
        description = """
            Cannot listen on 127.0.0.1, port \(port): \(reason). Choose another port, or leave the \
            port out and read it from the server's `url`.
            """
    }

    /// Creates the error for a failed system call.
    ///
    /// - Parameters:
    ///   - code: The value of `errno`.
    ///   - port: The requested port; 0 if the system was to choose.
    init(errno code: Int32, port: Int) {
        self.init(
            port: port,
            code == EADDRINUSE
                ? "another program or server listens there" : String(cString: strerror(code)))
    }
}
