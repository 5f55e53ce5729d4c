import Foundation

/// A non-blocking TCP socket on the loopback interface.
///
/// Only this file calls the socket functions of the system.
struct Socket: Sendable {
    /// The result of sending or receiving.
    enum Transfer: Equatable {
        /// The number of bytes that were sent or received.
        case moved(Int)
        /// Nothing can be sent or received now. Try again when the socket is ready.
        case blocked
        /// The peer has finished sending. It may still read.
        case finished
        /// The connection failed.
        case failed
    }

    /// The result of accepting a connection.
    enum Acceptance {
        case accepted(Socket)
        case noneWaiting
        /// The process has no descriptor or memory left for another connection.
        case exhausted
    }

    let descriptor: Int32

    /// Takes over a new descriptor, and gives it a high number if the limit of the process allows.
    ///
    /// Foundation on Linux closes descriptors that still have a dispatch source. If the system gave
    /// such a number to one of these sockets, libdispatch would confuse the two, and report no
    /// events. A new descriptor gets the lowest free number, so Foundation's numbers are lower.
    private init(moving low: Int32) {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        // The lower half is for the other descriptors: on macOS, a process has only 256 by default.
        let base = getrlimit(resource, &limit) == 0 ? Int32(min(limit.rlim_cur / 2, 4096)) : 0
        let high = base > low ? fcntl(low, F_DUPFD_CLOEXEC, base) : -1
        descriptor = high < 0 ? low : high
        if high >= 0 { _ = Foundation.close(low) }
    }

    /// Listens on `127.0.0.1` and, if the system has IPv6, on the same port of `::1`.
    ///
    /// - Parameter port: The port, or 0 for a free port that the system chooses.
    /// - Returns: One or two listening sockets.
    /// - Throws: ``LoopbackServerError`` when the port is in use or cannot be used.
    static func listening(onPort port: Int) throws -> [Socket] {
        guard let number = UInt16(exactly: port) else {
            throw LoopbackServerError.cannotListen(
                port: port, reason: "a port is a number from 0 to 65535")
        }
        // A port that is free for IPv4 may be in use for IPv6. Then try another one.
        for _ in 0..<(port == 0 ? 16 : 1) {
            let first = try listening(AF_INET, onPort: number)
            do {
                return [first, try listening(AF_INET6, onPort: UInt16(first.port))]
            } catch LoopbackServerError.portInUse {
                first.close()
            } catch {
                // The system has no IPv6.
                return [first]
            }
        }
        throw LoopbackServerError.portInUse(port)
    }

    /// Listens on the loopback address of one family.
    private static func listening(_ family: Int32, onPort port: UInt16) throws -> Socket {
        let descriptor = socket(family, streamType, 0)
        guard descriptor >= 0 else { throw LoopbackServerError(errno: errno, port: Int(port)) }
        let listener = Socket(moving: descriptor)
        // Closed connections keep the port in use for a minute. The next server can use it at once
        // only if this socket has the option too.
        listener.set(SOL_SOCKET, SO_REUSEADDR)
        guard listener.bind(family, port), listen(listener.descriptor, Int32(SOMAXCONN)) == 0 else {
            let error = LoopbackServerError(errno: errno, port: Int(port))
            listener.close()
            throw error
        }
        listener.prepare()
        return listener
    }

    private func bind(_ family: Int32, _ port: UInt16) -> Bool {
        func bind(_ address: some Any) -> Bool {
            withUnsafeBytes(of: address) {
                let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress
                return Foundation.bind(descriptor, address, socklen_t($0.count)) == 0
            }
        }
        guard family == AF_INET6 else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(family)
            address.sin_port = port.bigEndian
            inet_pton(family, "127.0.0.1", &address.sin_addr)
            return bind(address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(family)
        address.sin6_port = port.bigEndian
        inet_pton(family, "::1", &address.sin6_addr)
        return bind(address)
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

    /// Whether the connection has failed.
    ///
    /// The peer resets it when it receives bytes after it has closed its socket. The system also
    /// ends it when the peer does not answer the probes of `checkOnPeer()`.
    var isReset: Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0
    }

    /// Accepts the next connection that waits.
    func accept() -> Acceptance {
        while true {
            let accepted = Foundation.accept(descriptor, nil, nil)
            guard accepted < 0 else {
                let connection = Socket(moving: accepted)
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

    /// Reads bytes that have arrived.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as many bytes as the system accepts.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer { Foundation.send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags) }
    }

    /// Makes the system probe the peer once a second (TCP keep-alive).
    ///
    /// If the peer closes its socket after it has finished sending, nothing else shows that while
    /// nothing is written. The peer's system may answer the probes for a minute (`TIME_WAIT`), but
    /// not longer.
    func checkOnPeer() {
        set(SOL_SOCKET, SO_KEEPALIVE)
        #if canImport(Darwin)
        set(Int32(IPPROTO_TCP), TCP_KEEPALIVE)
        #else
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE)
        #endif
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    /// Tells the peer that nothing more will be sent (a TCP `FIN`).
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the descriptor.
    func close() {
        _ = Foundation.close(descriptor)
    }

    /// Calls `recv` or `send`, again if a signal interrupts it.
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

    /// Sets the options that every socket needs.
    private func prepare() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // The head and the body may be sent as two pieces; the second must not wait for an ACK.
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32 = 1) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif

    // Writing to a closed connection must fail, and not kill the process with `SIGPIPE`.
    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
