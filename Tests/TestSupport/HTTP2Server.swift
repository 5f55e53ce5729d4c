import APIKitLite

/// A server of HTTP/2 without TLS that reads requests, responds to some of them, and then closes
/// the connection.
///
/// It does not decode headers: a request is counted by the text of its body. It responds to each
/// first request of a connection with 200, and ends the connection when it has read the second one.
package final class HTTP2Server: Sendable {
    /// How the server ends a connection.
    package enum End: CaseIterable, Sendable {
        case close
        /// With a GOAWAY frame that says that the second request was processed (RFC 9113, 6.8).
        case goAway
        /// With a reset of the stream (RFC 9113, 6.4), INTERNAL_ERROR.
        case reset
    }

    private let listener: Listener
    private let counts = Locked<[String: Int]>([:])

    package var url: URL { listener.url }
    /// How often each request was read, by its body.
    package var readCounts: [String: Int] { counts.withLock { $0.filter { !$0.key.isEmpty } } }
    /// How many requests had an empty body.
    package var emptyCount: Int { counts.withLock { $0["", default: 0] } }

    package init(ending end: End) throws {
        listener = try Listener { [counts] descriptor in
            HTTP2Connection(descriptor).serve(ending: end) { body in
                counts.withLock { $0[body, default: 0] += 1 }
            }
        }
    }
}

/// The frames of one connection (RFC 9113, section 4.1).
private final class HTTP2Connection {
    private let descriptor: Int32
    private let reader: SocketReader
    private var bodies: [UInt32: Data] = [:]

    init(_ descriptor: Int32) { (self.descriptor, reader) = (descriptor, SocketReader(descriptor)) }

    func serve(ending end: HTTP2Server.End, didRead: (_ body: String) -> Void) {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        guard reader.take(preface.utf8.count)?.text == preface else { return }
        send(type: 4, stream: 0)
        var requestCount = 0
        while let frame = readFrame() {
            if frame.type == 4, frame.flags & 1 == 0 { send(type: 4, flags: 1, stream: 0) }
            if frame.type == 0 { bodies[frame.stream, default: Data()] += frame.payload }
            // HEADERS or DATA with END_STREAM.
            guard frame.type <= 1, frame.flags & 1 == 1 else { continue }
            didRead(bodies.removeValue(forKey: frame.stream)?.text ?? "")
            requestCount += 1
            if requestCount == 1 {
                // `:status: 200` is entry 8 of the static table (RFC 7541, appendix A).
                send(type: 1, flags: 5, stream: frame.stream, Data([0x88]))
                continue
            }
            switch end {
            case .close: break
            case .goAway: send(type: 7, stream: 0, frame.stream.bytes + UInt32(2).bytes)
            case .reset: send(type: 3, stream: frame.stream, UInt32(2).bytes)
            }
            return
        }
    }

    private func readFrame() -> (type: UInt8, flags: UInt8, stream: UInt32, payload: Data)? {
        guard let head = reader.take(9).map({ [UInt8]($0) }) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let payload = reader.take(length) else { return nil }
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (head[3], head[4], stream, payload)
    }

    private func send(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: Data = Data()) {
        let length = UInt32(payload.count).bytes.dropFirst()
        sendAll(length + [type, flags] + stream.bytes + payload, to: descriptor)
    }
}

extension UInt32 {
    fileprivate var bytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}
