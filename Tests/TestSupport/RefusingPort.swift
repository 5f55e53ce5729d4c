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

/// Returns a socket on a free port of this machine, and the URL of the port.
func boundSocket() throws -> (descriptor: Int32, url: URL) {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
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
