import APIKitLite
import Foundation

/// A server that answers one request of each connection, and closes the connection as soon as the
/// headers of a second request have arrived, as at the end of a keep-alive time.
///
/// An answer is the number of bytes in the body. `/redirect` answers with a 307 to `/`, and
/// `/refused` with a 401 unless the request has an `Authorization`.
package final class ClosingServer: Sendable {
    package let url: URL
    private let listener: Int32
    private let closed = Locked(0)

    /// How many connections were closed in place of an answer.
    package var closedCount: Int { closed.withLock { $0 } }

    package init() throws {
        (listener, url) = try boundSocket()
        guard listen(listener, 512) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread { [listener, closed] in
            while let descriptor = acceptedSocket(listener) {
                Thread { serve(descriptor, closed) }.start()
            }
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

private func serve(_ descriptor: Int32, _ closed: Locked<Int>) {
    defer { close(descriptor) }
    var bytes = Data()
    /// Reads until the bytes satisfy a condition, and returns whether they do.
    func read(until isEnough: () -> Bool) -> Bool {
        while !isEnough() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes += buffer[..<count]
        }
        return true
    }
    func readHead() -> [String]? {
        let end = Data("\r\n\r\n".utf8)
        guard read(until: { bytes.range(of: end) != nil }), let range = bytes.range(of: end) else {
            return nil
        }
        defer { bytes.removeSubrange(..<range.upperBound) }
        return bytes[..<range.lowerBound].text.components(separatedBy: "\r\n")
    }
    guard let head = readHead() else { return }
    func field(_ name: String) -> String? {
        head.first { $0.lowercased().hasPrefix(name + ": ") }?.components(separatedBy: ": ").last
    }
    var length = Int(field("content-length") ?? "0") ?? 0
    if field("transfer-encoding") == "chunked" {
        // One chunk and the last one, of a body that is small.
        guard read(until: { bytes.text.hasSuffix("0\r\n\r\n") }) else { return }
        length = Int(bytes.text.prefix { $0 != "\r\n" }, radix: 16) ?? -1
        bytes = Data()
    } else {
        guard read(until: { bytes.count >= length }) else { return }
        bytes = Data()
    }
    let path = head[0].components(separatedBy: " ")[1]
    let status =
        switch path {
        case "/redirect": "307 Temporary Redirect\r\nLocation: /"
        case "/refused" where field("authorization") != "Bearer new": "401 Unauthorized"
        default: "200 OK"
        }
    let body = path == "/token" ? "\"new\"" : "\(length)"
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    _ = answer.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    if readHead() != nil { closed.withLock { $0 += 1 } }
}
