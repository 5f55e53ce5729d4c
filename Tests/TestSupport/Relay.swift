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

/// Reads what the other side of a connection sends.
final class SocketReader {
    private let descriptor: Int32
    private(set) var bytes = Data()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads until the bytes satisfy a condition, and returns whether they do.
    func read(until isEnough: (Data) -> Bool) -> Bool {
        while !isEnough(bytes) {
            guard let more = received(from: descriptor) else { return false }
            bytes += more
        }
        return true
    }

    /// Takes so many bytes, or returns nil if there are fewer.
    func take(_ count: Int) -> Data? {
        guard read(until: { $0.count >= count }) else { return nil }
        defer { bytes = Data(bytes.dropFirst(count)) }
        return bytes.prefix(count)
    }

    /// Takes the lines up to the next empty line, or returns nil if there is none.
    func takeHead() -> [String]? {
        let end = Data("\r\n\r\n".utf8)
        guard read(until: { $0.range(of: end) != nil }), let range = bytes.range(of: end) else {
            return nil
        }
        defer { bytes = Data(bytes[range.upperBound...]) }
        return bytes[..<range.lowerBound].text.components(separatedBy: "\r\n")
    }

    func removeAll() { bytes = Data() }
}

@discardableResult
func sendAll(_ text: String, to descriptor: Int32) -> Bool {
    sendAll(Data(text.utf8), to: descriptor)
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
