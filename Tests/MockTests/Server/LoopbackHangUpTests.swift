import TestSupport

@testable import APIKitLiteTesting

/// Clients that leave: the server notices it when it reads or writes.
@Suite(.limited, .usesSockets, .mayBlock) struct LoopbackHangUpTests {
    /// What a client sends before it resets the connection, and after a response.
    private static let departures: [(text: String, next: String?)] = [
        ("", nil),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n"
                + String(repeating: "x", count: 300_000), nil
        ),
        ("what?\r\n\r\n" + String(repeating: "x", count: 600_000), nil), (get("/"), get("/")),
        (get("/", "Connection: close\r\n"), get("/")),
    ]

    @Test(arguments: departures.indices)
    func noticesAReset(_ index: Int) async throws {
        let (text, next) = Self.departures[index]
        let server = try LoopbackServer.echo()
        for _ in 0..<20 {
            let client = try RawClient(port: server.port, sending: text)
            if let next {
                _ = try client.reply()
                client.send(next)
            }
            client.reset()
        }

        await server.listener.closedConnections.wait { $0 >= 20 }
        #expect(server.listener.closedConnections.value == 20)
    }

    @Test(arguments: [get("/"), get("/") + get("/")])
    func noticesAtItsResponseThatAClientHasLeft(_ text: String) async throws {
        let (held, server) = try HeldRequests.serve()
        let client = try server.client(text)
        #expect(held.waitForArrivals())
        client.reset()

        held.respondToAll()

        await server.listener.closedConnections.wait { $0 >= 1 }
        #expect(server.listener.closedConnections.value == 1)
    }
}
