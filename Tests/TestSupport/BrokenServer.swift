import APIKitLite

/// A server that breaks each connection.
package final class BrokenServer: Sendable {
    package enum Way: Sendable {
        /// When the first bytes of the client have arrived.
        case closed, reset
        /// When another port of this machine has sent this many bytes through the first
        /// connection. The number doubles with each connection, because on a busy machine, a client
        /// may read none of the bytes before its connection is reset.
        case resetAfter(Int, ofPort: Int)
    }

    private let listener: Listener
    private let accepted = Locked(0)

    package var port: Int { listener.url.port ?? 0 }
    /// The number of connections so far.
    package var count: Int { accepted.withLock { $0 } }

    package init(_ way: Way) throws {
        listener = try Listener { [accepted] client in
            let number = accepted.next()
            breakConnection(client, way, number)
        }
    }
}

private func breakConnection(_ client: Int32, _ way: BrokenServer.Way, _ number: Int) {
    switch way {
    case .closed:
        _ = received(from: client)
    case .reset:
        _ = received(from: client)
        resetWhenClosed(client)
    case .resetAfter(let count, let port):
        guard let server = try? connectedSocket(port: port) else { return }
        defer { close(server) }
        relay(between: client, and: server, limit: count << (number - 1))
        resetWhenClosed(client)
    }
}

/// Closing the socket will reset its connection, as a peer does that crashes.
package func resetWhenClosed(_ descriptor: Int32) {
    var none = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
}
