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

    /// Takes a new descriptor over, under a high number where the limit of the process has one.
    ///
    /// Foundation on Linux closes descriptors whose dispatch source lives on. If the system gave
    /// such a number to a socket of ours, libdispatch would take it for one that it watches
    /// already, and never tell of anything there. New descriptors get the lowest free numbers, so
    /// Foundation's are not up here.
    private init(moving low: Int32) {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        // Half of them are left for everybody else: 256 is all that a process of macOS has.
        let base = getrlimit(resource, &limit) == 0 ? Int32(min(limit.rlim_cur / 2, 4096)) : 0
        let high = base > low ? fcntl(low, F_DUPFD_CLOEXEC, base) : -1
        descriptor = high < 0 ? low : high
        if high >= 0 { _ = Foundation.close(low) }
    }

    /// Listens on 127.0.0.1 and, where there is IPv6, on the same port of `::1`.
    ///
    /// - Parameter port: 0 for one that the system picks.
    /// - Throws: ``LoopbackServerError`` when the port is taken or cannot be used.
    static func listening(onPort port: Int) throws -> [Socket] {
        guard let number = UInt16(exactly: port) else {
            throw LoopbackServerError.cannotListen(
                port: port, reason: "a port is a number from 0 to 65535")
        }
        // A port that the system picked for the one family may be taken in the other.
        for _ in 0..<(port == 0 ? 16 : 1) {
            let first = try listening(AF_INET, onPort: number)
            do {
                return [first, try listening(AF_INET6, onPort: UInt16(first.port))]
            } catch LoopbackServerError.portInUse {
                first.close()
            } catch {
                // There is no IPv6 here.
                return [first]
            }
        }
        throw LoopbackServerError.portInUse(port)
    }

    private static func listening(_ family: Int32, onPort port: UInt16) throws -> Socket {
        let descriptor = socket(family, streamType, 0)
        guard descriptor >= 0 else { throw LoopbackServerError(errno: errno, port: Int(port)) }
        let listener = Socket(moving: descriptor)
        // Closed connections hold the port for a minute. The next server may have it at once, if
        // this one allows it too.
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

    /// Whether the connection was reset, as it is when one writes to a peer that has closed, or
    /// given up, as `checkOnPeer()` has the system do.
    var isReset: Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0
    }

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

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer { Foundation.send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags) }
    }

    /// Has the system ask the peer, each second, whether it is still there.
    ///
    /// One that has closed after it had finished sending shows by nothing else, as long as nothing
    /// is written. Its system may answer for it for a minute (`TIME_WAIT`), but not longer.
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

    private func set(_ level: Int32, _ option: Int32, _ value: Int32 = 1) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
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
