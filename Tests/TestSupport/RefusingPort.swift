/// A bound port without a listener, so that connections are refused.
package final class RefusingPort: Sendable {
    package let url: URL
    private let descriptor: Int32

    package init() throws { (descriptor, url) = try boundSocket() }

    deinit { close(descriptor) }
}

/// Returns a socket on a port of this machine, and the URL of the port. Zero means a free port.
func boundSocket(port: Int = 0) throws -> (descriptor: Int32, url: URL) {
    let descriptor = newSocket()
    if port != 0 {
        // The connections of an earlier run keep its port in use for a minute.
        var isReused: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, length)
    }
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
package func connectedSocket(port: Int) throws -> Int32 {
    let descriptor = newSocket()
    guard connect(descriptor, toPort: port) else {
        close(descriptor)
        throw POSIXError(.ECONNREFUSED)
    }
    return descriptor
}

/// Connects a socket to a port of this machine, and returns whether it is connected.
@discardableResult
package func connect(_ descriptor: Int32, toPort port: Int) -> Bool {
    withUnsafePointer(to: localAddress(port: port)) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

package func newSocket() -> Int32 {
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
