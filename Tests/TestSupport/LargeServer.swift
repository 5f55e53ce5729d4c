import APIKitLite

/// A server whose body does not end: it sends a large part of it, and then a byte at a time until the
/// client leaves.
package final class LargeServer: Sendable {
    private let listener: Listener
    package let hasEnded = Gate()

    package var url: URL { listener.url }

    package init() throws {
        listener = try Listener { [hasEnded] client in
            defer { hasEnded.open() }
            guard received(from: client) != nil else { return }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(512 << 20)\r\n\r\n"
            guard sendAll(Data(head.utf8) + Data(count: 4 << 20), to: client) else { return }
            var event = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            // libcurl asks whether to go on when it has received something.
            while poll(&event, 1, 20) == 0, sendAll(Data(count: 1), to: client) {}
        }
    }
}
