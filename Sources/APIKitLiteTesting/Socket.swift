import Foundation

/// A non-blocking TCP socket on the loopback interface. Only this file knows the system's calls.
struct Socket: Sendable {
    /// What became of an attempt to move bytes.
    enum Transfer: Equatable {
        case moved(Int)
        /// Nothing can be moved now; try again when the socket is ready.
        case blocked
        /// The peer will send no more. It may still read.
        case finished
        /// The connection is gone.
        case failed
    }

    /// What became of an attempt to take the next waiting connection.
    enum Acceptance {
        case accepted(Socket)
        case noneWaiting
        /// The process has no descriptor or memory left for another connection.
        case exhausted
    }

    let descriptor: Int32

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: 0 for one that the system picks.
    /// - Throws: ``LoopbackServerError`` when the port is taken or cannot be used.
    static func listening(onPort port: Int) throws -> Socket {
        guard let port = UInt16(exactly: port) else {
            throw LoopbackServerError.cannotListen(
                port: port, reason: "a port is a number from 0 to 65535")
        }
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw LoopbackServerError(errno: errno, port: Int(port)) }
        let listener = Socket(descriptor: descriptor)
        // Closed connections hold the port for a minute. The next server may have it at once, if
        // this one allows it too.
        listener.set(SOL_SOCKET, SO_REUSEADDR)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, Int32(SOMAXCONN)) == 0 else {
            let error = LoopbackServerError(errno: errno, port: Int(port))
            listener.close()
            throw error
        }
        listener.prepare()
        return listener
    }

    /// The local port.
    var port: Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Whether the connection was reset, as it is when one writes to a peer that has closed.
    var isReset: Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0
    }

    func accept() -> Acceptance {
        while true {
            let accepted = Foundation.accept(descriptor, nil, nil)
            guard accepted < 0 else {
                let connection = Socket(descriptor: accepted)
                connection.prepare()
                return .accepted(connection)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .noneWaiting
            }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer { Foundation.send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags) }
    }

    /// Tells the peer that nothing more will be sent.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        _ = Foundation.close(descriptor)
    }

    private func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count > 0 { return .moved(count) }
            if count == 0 { return .finished }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .blocked
            default: return .failed
            }
        }
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // The head and the body may leave in two pieces; the second must not wait for an ACK.
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif

    // Writing to a peer that has gone must fail, not kill the process.
    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
