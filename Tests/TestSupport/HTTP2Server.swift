import APIKitLite
import Foundation

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
    private let empty = Locked(0)

    package var url: URL { listener.url }
    /// How often each request was read, by its body.
    package var readCounts: [String: Int] { counts.withLock { $0 } }
    /// How many requests had an empty body.
    package var emptyCount: Int { empty.withLock { $0 } }

    package init(ending end: End) throws {
        listener = try Listener { [counts, empty] descriptor in
            HTTP2Connection(descriptor).serve(ending: end) { body in
                guard !body.isEmpty else { return empty.withLock { $0 += 1 } }
                counts.withLock { $0[body, default: 0] += 1 }
            }
        }
    }
}

/// The frames of one connection (RFC 9113, section 4.1).
private final class HTTP2Connection {
    private struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: Data
    }

    private let descriptor: Int32
    private var bodies: [UInt32: Data] = [:]

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    func serve(ending end: HTTP2Server.End, didRead: (_ body: String) -> Void) {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        guard read(preface.utf8.count)?.text == preface else { return }
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
            case .goAway:
                send(type: 7, stream: 0, frame.stream.bytes + UInt32(2).bytes)
            case .reset:
                send(type: 3, stream: frame.stream, UInt32(2).bytes)
            }
            return
        }
    }

    private func readFrame() -> Frame? {
        guard let head = read(9).map({ [UInt8]($0) }) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let payload = read(length) else { return nil }
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Frame(type: head[3], flags: head[4], stream: stream, payload: payload)
    }

    private func read(_ count: Int) -> Data? {
        var bytes = Data()
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { return nil }
            bytes += buffer[..<received]
        }
        return bytes
    }

    private func send(
        type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: Data = Data()
    ) {
        let length = UInt32(payload.count).bytes.dropFirst()
        let frame = [UInt8](length + [type, flags] + stream.bytes + payload)
        _ = Foundation.send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
    }
}

extension UInt32 {
    fileprivate var bytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}
