import Foundation

/// A blocking TCP client that sends exactly the bytes it is told, well-formed or not.
final class RawClient: @unchecked Sendable {  // Safe: one thread sends, one receives.
    /// One answer, taken apart.
    struct Reply {
        var status: Int
        var head: String
        var body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? {
            let line = head.components(separatedBy: "\r\n").first {
                $0.lowercased().hasPrefix(name.lowercased() + ":")
            }
            return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let descriptor: Int32
    private var received = Data()
    private var isClosed = false

    init(port: Int) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        // A test that waits in vain fails, and does not hang.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let isConnected = withUnsafeBytes(of: address) {
            let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress
            return connect(descriptor, address, socklen_t($0.count)) == 0
        }
        guard isConnected else {
            // The socket is closed by `deinit`, which runs although the initialiser throws.
            throw Failure(description: "cannot connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        if !isClosed { close(descriptor) }
    }

    /// - Returns: Whether the peer took all of it.
    @discardableResult
    func send(_ bytes: Data) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { all in
            var sent = 0
            while sent < all.count {
                let count = Foundation.send(
                    descriptor, all.baseAddress! + sent, all.count - sent, flags)
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) -> Bool {
        send(Data(text.utf8))
    }

    /// Ends the connection as a client does that crashes.
    func reset() {
        // Without a time to linger, closing resets the connection.
        var now = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, size)
        close(descriptor)
        isClosed = true
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads one answer, whichever way its body is delimited.
    ///
    /// - Parameter method: A `HEAD` has no body, whatever its fields say.
    func reply(to method: String = "GET") throws -> Reply {
        while received.firstRange(of: Data("\r\n\r\n".utf8)) == nil { try receiveMore() }
        let end = received.firstRange(of: Data("\r\n\r\n".utf8))!
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received = Data(received[end.upperBound...])
        guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
            throw Failure(description: "not a status line: \(head)")
        }
        var reply = Reply(status: status, head: head, body: Data())
        if method == "HEAD" || status < 200 || status == 204 || status == 304 { return reply }
        if reply.header("Transfer-Encoding")?.lowercased() == "chunked" {
            while let chunk = try nextChunk() { reply.body += chunk }
        } else if let length = reply.header("Content-Length").flatMap(Int.init) {
            reply.body = try take(length)
        } else {
            reply.body = try rest()
        }
        return reply
    }

    /// Waits for the first bytes of an answer, and keeps them for `reply()`.
    func hasBegunToReceive() throws -> Bool {
        try !received.isEmpty || receiveMore(orEnd: true)
    }

    /// Everything up to the end of the connection.
    func rest() throws -> Data {
        while try receiveMore(orEnd: true) {}
        defer { received = Data() }
        return received
    }

    private func nextChunk() throws -> Data? {
        var end = received.firstRange(of: Data("\r\n".utf8))
        while end == nil {
            try receiveMore()
            end = received.firstRange(of: Data("\r\n".utf8))
        }
        let line = String(decoding: received[..<end!.lowerBound], as: UTF8.self)
        received = Data(received[end!.upperBound...])
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

    @discardableResult
    private func receiveMore(orEnd: Bool = false) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { received.append(contentsOf: buffer[..<count]) }
        if count < 0 { throw Failure(description: String(cString: strerror(errno))) }
        if count == 0 && !orEnd { throw Failure(description: "the connection ended") }
        return count > 0
    }
}
