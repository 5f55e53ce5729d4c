import APIKitLite
import Foundation

/// The reason why a ``LoopbackServer`` could not start.
public enum LoopbackServerError: Error, Sendable, Equatable {
    /// Another program, or another server of this process, listens on the port.
    case portInUse(Int)
    /// The port cannot be used, for the reason that the system gives.
    case cannotListen(port: Int, reason: String)
}

extension LoopbackServerError: DescribedError {
    /// A text that says what happened and what to do.
    public var description: String {
        switch self {
        case .portInUse(let port):
            "Port \(port) of this machine (127.0.0.1) is in use. Stop the program that "
                + "listens there, choose another port, or leave the port out and read it from the "
                + "server's `url`."
        case .cannotListen(let port, let reason):
            "Cannot listen on 127.0.0.1, port \(port): \(reason). Choose another port, or leave "
                + "the port out and read it from the server's `url`."
        }
    }
}

extension LoopbackServerError {
    /// Creates the error for a failed system call.
    ///
    /// - Parameters:
    ///   - code: The value of `errno`.
    ///   - port: The requested port; 0 if the system was to choose.
    init(errno code: Int32, port: Int) {
        self =
            code == EADDRINUSE && port != 0
            ? .portInUse(port)
            : .cannotListen(port: port, reason: String(cString: strerror(code)))
    }
}
