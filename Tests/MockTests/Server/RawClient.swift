import TestSupport

/// A blocking TCP client that sends exactly the bytes it is told, well-formed or not.
final class RawClient: @unchecked Sendable {  // Safe: one thread sends, one receives.
    struct Reply {
        var status: Int
        var head: String
        var body: Data

        var text: String { body.text }

        func header(_ name: String) -> String? {
            let line = head.components(separatedBy: "\r\n").first {
                $0.lowercased().hasPrefix(name.lowercased() + ":")
            }
            return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    struct Failure: Error, CustomStringConvertible { var description: String }

    private let descriptor: Int32
    private var received = Data()
    private var isClosed = false

    init(port: Int, sending text: String = "") throws {
        descriptor = try connectedSocket(port: port)
        // A test that waits in vain fails, and does not hang.
        var patience = timeval(tv_sec: 900, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        send(text)
    }

    deinit { if !isClosed { close(descriptor) } }

    /// - Returns: Whether the peer took all of it.
    @discardableResult func send(_ bytes: Data) -> Bool { sendAll(bytes, to: descriptor) }

    @discardableResult func send(_ text: String) -> Bool { send(Data(text.utf8)) }

    /// Ends the connection as a client does that crashes.
    func reset() {
        resetWhenClosed(descriptor)
        close(descriptor)
        isClosed = true
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads one response, whichever way its body is delimited.
    func reply() throws -> Reply {
        let head = try take(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
            throw Failure(description: "not a status line: \(head)")
        }
        var reply = Reply(status: status, head: head, body: Data())
        if status < 200 || status == 204 || status == 304 { return reply }
        if reply.header("Transfer-Encoding")?.lowercased() == "chunked" {
            while let chunk = try nextChunk() { reply.body += chunk }
        } else if let length = reply.header("Content-Length").flatMap(Int.init) {
            reply.body = try take(length)
        } else {
            reply.body = try rest()
        }
        return reply
    }

    /// Waits for the first bytes of a response, and keeps them for `reply()`.
    func hasBegunToReceive() throws -> Bool { try !received.isEmpty || receiveMore(orEnd: true) }

    /// Waits until the server has asked, with a byte out of band, whether this client is still there.
    func wasProbed() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
        return poll(&event, 1, 900_000) == 1
    }

    /// Everything up to the end of the connection.
    func rest() throws -> Data {
        while try receiveMore(orEnd: true) {}
        defer { received = Data() }
        return received
    }

    private func take(until delimiter: String) throws -> String {
        let delimiter = Data(delimiter.utf8)
        while received.firstRange(of: delimiter) == nil { try receiveMore() }
        let range = received.firstRange(of: delimiter)!
        defer { received = Data(received[range.upperBound...]) }
        return received[..<range.lowerBound].text
    }

    private func nextChunk() throws -> Data? {
        let line = try take(until: "\r\n")
        guard let size = Int(line, radix: 16) else { throw Failure(description: "size: \(line)") }
        let chunk = try take(size)
        guard try take(2) == Data("\r\n".utf8) else { throw Failure(description: "no chunk end") }
        return size == 0 ? nil : chunk
    }

    private func take(_ count: Int) throws -> Data {
        while received.count < count { try receiveMore() }
        defer { received = Data(received.dropFirst(count)) }
        return Data(received.prefix(count))
    }

    @discardableResult private func receiveMore(orEnd: Bool = false) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received.append(contentsOf: buffer[..<count]) }
        if count < 0 { throw Failure(description: String(cString: strerror(errno))) }
        if count == 0 && !orEnd { throw Failure(description: "the connection ended") }
        return count > 0
    }
}
