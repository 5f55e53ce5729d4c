import Foundation

/// A bound port without a listener, so that connections are refused.
package final class RefusingPort: Sendable {
    package let url: URL
    private let descriptor: Int32

    package init() throws {
        (descriptor, url) = try boundSocket()
    }

    deinit {
        close(descriptor)
    }
}

/// Returns a socket on a port of this machine, and the URL of the port. Zero means a free port.
func boundSocket(port: Int = 0) throws -> (descriptor: Int32, url: URL) {
    let descriptor = newSocket()
    var address = localAddress(port: port)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
    }
    guard isBound else {
        close(descriptor)
        throw POSIXError(.EADDRNOTAVAIL)
    }
    return (descriptor, URL(string: "http://127.0.0.1:\(address.sin_port.bigEndian)")!)
}

/// Returns a socket that is connected to a port of this machine.
func connectedSocket(port: Int) throws -> Int32 {
    let descriptor = newSocket()
    let address = localAddress(port: port)
    let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard result == 0 else {
        close(descriptor)
        throw POSIXError(.ECONNREFUSED)
    }
    return descriptor
}

/// Calls a function for each connection of a socket, in a thread of its own, until the socket is shut
/// down. The function must not close the connection.
func serveConnections(
    of listener: Int32, _ serve: @escaping @Sendable (_ connection: Int32) -> Void
) throws {
    guard listen(listener, 512) == 0 else { throw POSIXError(.EADDRINUSE) }
    Thread {
        useOwnDescriptors(andKeep: listener)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            Thread {
                serve(connection)
                close(connection)
            }.start()
        }
    }.start()
}

/// Gives this thread, and the threads that it starts, a table of descriptors of their own.
///
/// Foundation on Linux closes a descriptor while libdispatch still watches it. If a connection of
/// the server then gets the same number, libdispatch watches the connection, and a request hangs or
/// the process ends. In a process of their own, a server and its client cannot meet like this.
private func useOwnDescriptors(andKeep listener: Int32) {
    #if os(Linux)
    // The thread sanitizer knows descriptors by their numbers, whichever table they are in.
    guard dlsym(nil, "__tsan_init") == nil else { return }
    // The C function is not imported.
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let unshare = dlsym(nil, "unshare").map({ unsafeBitCast($0, to: Unshare.self) }) else {
        return
    }
    let cloneFiles: Int32 = 0x400
    guard unshare(cloneFiles) == 0 else { return }
    for descriptor in 3..<getdtablesize() where descriptor != listener { close(descriptor) }
    #endif
}

private func newSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

private func localAddress(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
}
