import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Serves events of nine bytes, as many bytes as the path of a request says: see
/// ``serveConnections(_:)``.
func serveBytes() throws {
    try serveConnections { connection in
        var isOn: Int32 = 1
        setsockopt(
            connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
            socklen_t(MemoryLayout<Int32>.size))
        try? respondWithBytes(connection)
    }
}

/// Responds to the requests of one connection, which have no body.
private func respondWithBytes(_ connection: Int32) throws {
    let block = Array(String(repeating: "data: a\n\n", count: 9_000).utf8)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = recv(connection, &bytes, bytes.count, 0)
        guard count > 0 else { return }
        let path = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")[1]
        var rest = Int(path.dropFirst()) ?? 0
        try sendAll(
            connection,
            """
            HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(rest)\r\n\r\n
            """)
        while rest > 0 {
            let count = min(rest, block.count)
            try block.withUnsafeBytes {
                try sendAll(connection, UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            rest -= count
        }
    }
}
