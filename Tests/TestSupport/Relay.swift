import Foundation

/// Passes bytes on in both directions, until one side closes its connection, or the server has sent
/// as many bytes as the limit.
func relay(between client: Int32, and server: Int32, limit: Int = .max) {
    var rest = limit
    while rest > 0 {
        var sides = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&sides, 2, -1) > 0 else { return }
        for (side, other) in zip(sides, [server, client]) where side.revents != 0 {
            guard let bytes = received(from: side.fd) else { return }
            let passed = bytes.prefix(side.fd == server ? rest : .max)
            if side.fd == server { rest -= passed.count }
            sendAll(passed, to: other)
        }
    }
}

/// Returns the next bytes, or nil at the end.
func received(from descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[..<count]) : nil
}

/// Returns whether all bytes were sent.
@discardableResult
package func sendAll(_ data: Data, to descriptor: Int32) -> Bool {
    var rest = Array(data)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
