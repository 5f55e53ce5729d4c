import APIKitLite

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
    let reader = SocketReader(descriptor)
    /// Reads what it should of the second request, before its connection is closed.
    func close(at head: [String]) {
        log.withLock { $0.closedCount += 1 }
        switch end {
        case .beforeTheBody: break
        case .resetBeforeTheBody: resetWhenClosed(descriptor)
        case .afterTheBody: _ = reader.takeBody(of: head, log)
        case .withinTheResponse:
            _ = reader.takeBody(of: head, log)
            sendAll("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", to: descriptor)
        }
    }
    func respond(_ status: String, _ body: String = "") {
        let length = "Content-Length: \(body.utf8.count)"
        sendAll("HTTP/1.1 \(status)\r\n\(length)\r\n\r\n\(body)", to: descriptor)
    }

    guard var head = reader.takeHead() else { return }
    let path = head[0].components(separatedBy: " ")[1]
    if path.hasPrefix("/early/") {
        respond("\(path.dropFirst(7)) Early\r\nLocation: /early/413")
        shutdown(descriptor, Int32(SHUT_WR))
        while received(from: descriptor) != nil {}
        return
    }
    if head.field("expect") != nil {
        respond("417 Expectation Failed")
        guard let second = reader.takeHead() else { return }
        if path == "/unexpected" { return close(at: second) }
        head = second
    }
    guard let length = reader.takeBody(of: head, log) else { return }
    switch path {
    case "/redirect": respond("307 Temporary Redirect\r\nLocation: /", "\(length)")
    case "/challenged" where head.field("authorization") == nil:
        respond("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"", "\(length)")
    default: respond("200 OK", "\(length)")
    }
    if let second = reader.takeHead() { close(at: second) }
}

extension SocketReader {
    /// Reads the body of a request, counts the request, and returns the size of the body.
    fileprivate func takeBody(of head: [String], _ log: Locked<ServerLog>) -> Int? {
        var length = Int(head.field("content-length") ?? "0") ?? 0
        if head.field("transfer-encoding") == "chunked" {
            // The bytes of the tests contain no line break.
            let end = Data("0\r\n\r\n".utf8)
            guard read(until: { $0.suffix(end.count) == end }) else { return nil }
            let lines = bytes.text.components(separatedBy: "\r\n")
            length = stride(from: 1, to: lines.count, by: 2).reduce(0) { $0 + lines[$1].utf8.count }
        } else {
            guard read(until: { $0.count >= length }) else { return nil }
        }
        removeAll()
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
