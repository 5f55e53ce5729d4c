import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Clients that leave: the server notices it when it reads or writes.
@Suite(.limited, .usesManySockets) struct LoopbackHangUpTests {
    struct Departure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
    }

    @Test(arguments: [
        Departure(testDescription: "nothing", text: ""),
        Departure(
            testDescription: "part of a body",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n"
                + String(repeating: "x", count: 300_000)),
        Departure(
            testDescription: "no request, and more",
            text: "what?\r\n\r\n" + String(repeating: "x", count: 600_000)),
    ])
    func noticesAReset(_ departure: Departure) async throws {
        let server = try HeldRequests().serve()
        for _ in 0..<20 {
            let client = try RawClient(port: server.port)
            client.send(departure.text)
            client.reset()
        }

        await server.listener.closedConnections.wait { $0 >= 20 }
        #expect(server.listener.closedConnections.value == 20)
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func noticesAResetAfterAnAnswer(_ field: String) async throws {
        let server = try LoopbackServer.echo()
        for _ in 0..<20 {
            let client = try RawClient(port: server.port)
            client.send(get("/", field))
            _ = try client.reply()
            client.send(get("/"))
            client.reset()
        }

        await server.listener.closedConnections.wait { $0 >= 20 }
        #expect(server.listener.closedConnections.value == 20)
    }

    @Test(arguments: [get("/"), get("/") + get("/")])
    func noticesAtItsAnswerThatAClientHasLeft(_ text: String) async throws {
        let held = HeldRequests()
        let server = try held.serve()
        let client = try RawClient(port: server.port)
        client.send(text)
        #expect(held.waitForArrivals())
        client.reset()

        held.answerAll()

        await server.listener.closedConnections.wait { $0 >= 1 }
        #expect(server.listener.closedConnections.value == 1)
    }
}
