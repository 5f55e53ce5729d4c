import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Accepts connections on bare sockets, which cost less than what is measured with them. Prints the
/// URL, and ends with the standard input: with the parent process.
///
/// - Parameter serve: Reads requests from a connection and responds to them, on a thread of its
///   own. The connection is closed when it returns.
func serveConnections(_ serve: @escaping @Sendable (Int32) -> Void) throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                && getsockname(listener, $0, &size) == 0
        }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    Thread.detachNewThread {
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0 { continue }
            Thread.detachNewThread {
                serve(connection)
                close(connection)
            }
        }
    }
    print("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")
    fflush(nil)
    _ = FileHandle.standardInput.readDataToEndOfFile()
}

/// Sends all of the bytes.
///
/// - Throws: `POSIXError.EPIPE` if the client has gone.
func sendAll(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count {
        let count = send(connection, bytes.baseAddress! + done, min(bytes.count - done, 1 << 18), 0)
        guard count > 0 else { throw POSIXError(.EPIPE) }
        done += count
    }
}

/// Sends the whole text, as UTF-8.
///
/// - Throws: `POSIXError.EPIPE` if the client has gone.
func sendAll(_ connection: Int32, _ text: String) throws {
    var text = text
    try text.withUTF8 { try sendAll(connection, UnsafeRawBufferPointer($0)) }
}
