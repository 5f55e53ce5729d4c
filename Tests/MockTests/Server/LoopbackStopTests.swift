// Other platforms cannot start a process, in which used-up descriptors do not concern other tests.
#if os(macOS) || os(Linux)
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A server stops even if the process can open nothing more and its clients are not accepted.
@Suite(.limited) struct LoopbackStopTests {
    @Test func stopsWithoutAFreeDescriptor() async {
        await #expect(processExitsWith: .success) {
            alarm(300)
            let server = try LoopbackServer.echo()
            let client = try RawClient(port: server.port)
            client.send(get("/"))
            #expect(try client.reply().status == 200)
            useUpDescriptors()

            server.stop()

            #expect(try client.rest().isEmpty)
        }
    }

    @Test func stopsWithAFullBacklog() async {
        await #expect(processExitsWith: .success) {
            alarm(300)
            let limit = raisedDescriptorLimit()
            let server = try LoopbackServer.echo()
            let clients = (0..<min(Int(SOMAXCONN) + 16, limit / 2)).map { _ in unconnectedSocket() }
            useUpDescriptors()
            for client in clients { connect(client, toPort: server.port) }

            server.stop()
        }
    }

    /// On Apple platforms, a connection has the flags of its listening socket, which does not block.
    @Test func waitsForAClientThatSendsLate() async throws {
        let server = try LoopbackServer.echo()
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n")
        let other = try RawClient(port: server.port)
        other.send(get("/"))
        #expect(try other.reply().status == 200)

        client.send("Host: h\r\n\r\n")

        #expect(try client.reply().status == 200)
    }
}

private func useUpDescriptors() {
    while dup(STDIN_FILENO) >= 0 {}
}

private func unconnectedSocket() -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
}

private func connect(_ descriptor: Int32, toPort port: Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    _ = withUnsafeBytes(of: address) {
        let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress!
        return Foundation.connect(descriptor, address, socklen_t($0.count))
    }
}
#endif
