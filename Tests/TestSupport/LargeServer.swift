import APIKitLite
import Foundation

/// A server that answers one request with a large body, until it has sent everything or the client
/// leaves.
package final class LargeServer: Sendable {
    package static let size = 512 * 1024 * 1024

    private let listener: Listener
    private let sent = Locked(0)
    package let hasEnded = Gate()

    package var url: URL { listener.url }
    package var sentCount: Int { sent.withLock { $0 } }

    package init() throws {
        listener = try Listener { [sent, hasEnded] client in
            defer { hasEnded.open() }
            guard received(from: client) != nil else { return }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n"
            guard sendAll(Data(head.utf8), to: client) else { return }
            let piece = Data(count: 1024 * 1024)
            while sent.withLock({ $0 < Self.size }), sendAll(piece, to: client) {
                sent.withLock { $0 += piece.count }
            }
        }
    }
}
