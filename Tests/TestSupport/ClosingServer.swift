import APIKitLite
import Foundation

/// A server that responds to one request of each connection, and closes the connection at the
/// second request.
///
/// The body of a response is the number of bytes in the request's body. `/redirect` gets a 307 to
/// `/`, and `/challenged` a 401 that asks for a password. `/early/` and a status gets its response
/// before the body is read, and a redirect leads to `/early/413`. A request with `Expect` gets a
/// 417 first. What follows it on the connection counts as the second request if the path is
/// `/unexpected`.
package final class ClosingServer: Sendable {
    /// When the server closes a connection.
    package enum End: Sendable {
        /// As soon as the headers of a second request have arrived, as at the end of a keep-alive
        /// time.
        case beforeTheBody
        /// The same, with a reset.
        case resetBeforeTheBody
        /// When it has read the whole second request, as a server that crashes.
        case afterTheBody
        /// The same, when it has also sent the head and a part of the response.
        case withinTheResponse
    }

    private let listener: Listener
    private let log = Locked(ServerLog())

    package var url: URL { listener.url }
    /// How many connections were closed in place of a response.
    package var closedCount: Int { log.withLock { $0.closedCount } }
    /// How often each whole request was read, by its `X-Number`.
    package var readCounts: [String: Int] { log.withLock { $0.readCounts } }
    /// How many whole requests had an empty body.
    package var emptyCount: Int { log.withLock { $0.emptyCount } }

    package init(closing end: End = .beforeTheBody) throws {
        listener = try Listener { [log] in serve($0, closing: end, log) }
    }
}

private struct ServerLog {
    var closedCount = 0
    var emptyCount = 0
    var readCounts: [String: Int] = [:]
}

private func serve(_ descriptor: Int32, closing end: ClosingServer.End, _ log: Locked<ServerLog>) {
    let reader = RequestReader(descriptor)
    guard var head = reader.readHead() else { return }
    let path = head[0].components(separatedBy: " ")[1]
    if path.hasPrefix("/early/") {
        let status = "\(path.dropFirst(7)) Early\r\nLocation: /early/413"
        sendAll(Data("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8), to: descriptor)
        shutdown(descriptor, Int32(SHUT_WR))
        while received(from: descriptor) != nil {}
        return
    }
    if head.field("expect") != nil {
        sendAll(
            Data("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n".utf8),
            to: descriptor)
        guard let second = reader.readHead() else { return }
        if path == "/unexpected" { return close(descriptor, at: second, end, reader, log) }
        head = second
    }
    guard let length = reader.readBody(of: head, log) else { return }
    let status =
        switch path {
        case "/redirect": "307 Temporary Redirect\r\nLocation: /"
        case "/challenged" where head.field("authorization") == nil:
            "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\""
        default: "200 OK"
        }
    let body = "\(length)"
    let response = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    sendAll(Data(response.utf8), to: descriptor)
    if let second = reader.readHead() { close(descriptor, at: second, end, reader, log) }
}

/// Reads what it should of the second request, before its connection is closed.
private func close(
    _ descriptor: Int32, at head: [String], _ end: ClosingServer.End, _ reader: RequestReader,
    _ log: Locked<ServerLog>
) {
    log.withLock { $0.closedCount += 1 }
    switch end {
    case .beforeTheBody: break
    case .resetBeforeTheBody: resetWhenClosed(descriptor)
    case .afterTheBody: _ = reader.readBody(of: head, log)
    case .withinTheResponse:
        _ = reader.readBody(of: head, log)
        sendAll(Data("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart".utf8), to: descriptor)
    }
}

/// Reads requests from a socket.
private final class RequestReader {
    private let descriptor: Int32
    private var bytes = Data()

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads until the bytes satisfy a condition, and returns whether they do.
    private func read(until isEnough: () -> Bool) -> Bool {
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

    /// Reads the body of a request, counts the request, and returns the size of the body.
    func readBody(of head: [String], _ log: Locked<ServerLog>) -> Int? {
        var length = Int(head.field("content-length") ?? "0") ?? 0
        if head.field("transfer-encoding") == "chunked" {
            // The bytes of the tests contain no line break.
            let end = Data("0\r\n\r\n".utf8)
            guard read(until: { bytes.suffix(end.count) == end }) else { return nil }
            let lines = bytes.text.components(separatedBy: "\r\n")
            length = stride(from: 1, to: lines.count, by: 2).reduce(0) { $0 + lines[$1].utf8.count }
        } else {
            guard read(until: { bytes.count >= length }) else { return nil }
        }
        bytes = Data()
        log.withLock {
            $0.readCounts[head.field("x-number") ?? "", default: 0] += 1
            if length == 0 { $0.emptyCount += 1 }
        }
        return length
    }
}

extension [String] {
    /// The value of a header field, by its name in lower case.
    fileprivate func field(_ name: String) -> String? {
        first { $0.lowercased().hasPrefix(name + ": ") }?.components(separatedBy: ": ").last
    }
}
