import Foundation

/// A TCP socket on the loopback interface. A connected socket's `receive` and `send` block.
///
/// Only this file calls the system's socket functions.
struct Socket: Sendable {
    private let descriptor: Int32

    /// Takes ownership of a connection's descriptor.
    private init(descriptor: Int32) {
        self.descriptor = descriptor
        prepare()
    }

    /// Listens on `127.0.0.1`. `accept` waits only briefly.
    ///
    /// - Throws: ``MockError`` if the port is in use or cannot be used.
    init(listeningOnPort port: Int) throws {
        guard let number = UInt16(exactly: port) else {
            throw MockError.cannotListen(on: port, "a port is a number from 0 to 65535")
        }
        descriptor = socket(AF_INET, Self.streamType, 0)
        guard descriptor >= 0 else { throw MockError.cannotListen(on: port) }
        prepare()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Closed connections keep the port in use for up to a minute. The next server can use the
        // port immediately only if its socket and this socket both have `SO_REUSEADDR`.
        set(SOL_SOCKET, SO_REUSEADDR)
        guard bind(toPort: number), listen(descriptor, Int32(SOMAXCONN)) == 0 else {
            let error = MockError.cannotListen(on: port)
            close()
            throw error
        }
    }

    /// Binds to a port of `127.0.0.1`. Returns whether the call succeeds.
    private func bind(toPort port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        return withUnsafeBytes(of: address) {
            let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return Foundation.bind(descriptor, address, socklen_t($0.count)) == 0
        }
    }

    var port: Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &size)
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits for the next connection to this listening socket, for up to a twentieth of a second.
    ///
    /// - Returns: The connection, or `nil` if there is none; and whether the system refused a
    ///   connection.
    func accept() -> (connection: Socket?, isRefused: Bool) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Without a free descriptor, `accept` fails on Linux even if no client waits.
        guard poll(&wait, 1, 50) > 0 else { return (nil, false) }
        let accepted = Foundation.accept(descriptor, nil, nil)
        if accepted >= 0 { return (Socket(descriptor: accepted), false) }
        // These codes mean that no client waits, the client left, or a signal interrupted the call.
        return (nil, ![EAGAIN, ECONNABORTED, EINTR].contains(errno))
    }

    /// Waits for bytes and returns them, or returns no bytes at the end of the connection.
    func receive() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
            count = max(0, again { recv(descriptor, buffer.baseAddress, buffer.count, 0) })
        }
    }

    /// Whether the client has closed its socket. This property is also true if the client has only
    /// finished sending, which looks the same.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = again { recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) }
        return count == 0 || count < 0 && errno != EAGAIN
    }

    /// Whether the client's system has rejected sent bytes, because the client has left.
    var isBroken: Bool { again { Foundation.send(descriptor, nil, 0, Self.sendFlags) } < 0 }

    /// Sends an out-of-band byte, which the client's reads skip. If the client has left, the socket
    /// becomes broken. If the client does not read, sends nothing instead of waiting.
    func probe() {
        var byte: UInt8 = 0
        let flags = Self.sendFlags | Int32(MSG_OOB) | Int32(MSG_DONTWAIT)
        _ = Foundation.send(descriptor, &byte, 1, flags)
    }

    /// Sends all bytes. Returns false if the connection is lost.
    func send(_ pieces: [Data]) -> Bool {
        // Copying a short response is cheaper than another system call.
        let isShort = pieces.count > 1 && pieces.byteCount < 16 * 1024
        return (isShort ? [pieces.joined] : pieces).allSatisfy(send)
    }

    private func send(_ bytes: Data) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { rest in
                again { Foundation.send(descriptor, rest.baseAddress, rest.count, Self.sendFlags) }
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Ends all blocking calls, current and future, and on Linux also a wait for a connection.
    func interrupt() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Tells the peer that nothing more will be sent (a TCP `FIN`).
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        _ = Foundation.close(descriptor)
    }

    /// Calls `recv` or `send`, and repeats the call if a signal interrupts it.
    private func again(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Sets the options that every socket needs.
    private func prepare() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // On Apple platforms, a connection inherits the flags of its listening socket.
        _ = fcntl(descriptor, F_SETFL, 0)
        // The head and the body may be sent as two pieces. The second piece must not wait for an
        // ACK.
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private func set(_ level: Int32, _ option: Int32) {
        var value: Int32 = 1
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
    private static let streamType = SOCK_STREAM
    #endif

    // Writing to a closed connection must fail, not kill the process with `SIGPIPE`.
    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}

extension MockError {
    /// Returns the error for a server that cannot listen on a port. By default, the reason is the
    /// error of the last system call.
    fileprivate static func cannotListen(on port: Int, _ reason: String? = nil) -> MockError {
        let code = errno
        let taken = code == EADDRINUSE ? "another program or server listens there" : nil
        return MockError(
            """
            Cannot listen on 127.0.0.1, port \(port): \
            \(reason ?? taken ?? String(cString: strerror(code))). Choose another port, or leave the \
            port out and read it from the server's `url`.
            """)
    }
}
