// Other platforms cannot start a process, in which used-up descriptors do not concern other tests.
#if os(macOS) || os(Linux)
import TestSupport

@testable import APIKitLiteTesting

/// A server stops even if the process can open nothing more and its clients are not accepted.
@Suite(.limited) struct LoopbackStopTests {
    @Test func stopsWithoutAFreeDescriptor() async {
        await #expect(processExitsWith: .success) {
            alarm(1_200)
            let server = try LoopbackServer.echo()
            let client = try RawClient(port: server.port, sending: get("/"))
            #expect(try client.reply().status == 200)
            useUpDescriptors()

            server.stop()

            #expect(try client.rest().isEmpty)
        }
    }

    @Test func stopsWithAFullBacklog() async {
        await #expect(processExitsWith: .success) {
            alarm(1_200)
            let limit = raisedDescriptorLimit()
            let server = try LoopbackServer.echo()
            let clients = (0..<min(Int(SOMAXCONN) + 16, limit / 2)).map { _ in unconnectedSocket() }
            useUpDescriptors()
            for client in clients { connect(client, toPort: server.port) }

            server.stop()
        }
    }

    /// The server closes an idle connection if it refuses a client, but not if no client waits.
    @Test func refusesNobodyIfNoClientWaits() async {
        await #expect(processExitsWith: .success) {
            let socket = try Socket(listeningOnPort: 0)
            useUpDescriptors()
            #expect(!socket.accept().isRefused)
        }
    }
}

private func useUpDescriptors() { while dup(STDIN_FILENO) >= 0 {} }

private func unconnectedSocket() -> Int32 {
    let descriptor = newSocket()
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
}
#endif
