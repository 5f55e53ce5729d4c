import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Clients that leave: each of their connections must end, and its request be cancelled.
@Suite(.limited, .usesManySockets) struct LoopbackHangUpTests {
    struct Departure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
    }

    @Test(arguments: [
        Departure(testDescription: "a request", text: get("/")),
        Departure(testDescription: "two requests", text: get("/") + get("/")),
        Departure(testDescription: "HTTP/1.0", text: "GET / HTTP/1.0\r\n\r\n"),
        Departure(
            testDescription: "part of a body",
            text: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n"
                + String(repeating: "x", count: 300_000)),
        Departure(
            testDescription: "no request, and more",
            text: "what?\r\n\r\n" + String(repeating: "x", count: 600_000)),
        Departure(
            testDescription: "two megabytes more",
            text: get("/") + String(repeating: get("/"), count: 80_000)),
    ])
    func noticesAReset(_ departure: Departure) async throws {
        let server = try HeldRequests().serve()
        for _ in 0..<20 {
            let client = try RawClient(port: server.port)
            client.send(departure.text)
            client.reset()
        }

        await server.closedConnections.wait(for: 20)
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

        await server.closedConnections.wait(for: 20)
    }

    @Test func noticesAResetBehindWhatIsNotRead() async throws {
        let held = HeldRequests()
        let server = try held.serve()
        let client = try RawClient(port: server.port)
        client.send(get("/") + String(repeating: get("/"), count: 80_000))
        #expect(held.waitForArrivals())
        // The server holds the client back, and asks whether it is there.
        #expect(try client.hasBegunToReceive())
        client.reset()

        await server.closedConnections.wait(for: 1)
        #expect(held.hasCancelledMore)
    }

    @Test func noticesAHalfClosedClientThatCloses() async throws {
        let held = HeldRequests()
        let server = try held.serve()
        var client: RawClient? = try RawClient(port: server.port)
        client?.send(get("/"))
        client?.finishSending()
        // The server has asked whether the client is there: it was.
        #expect(try client?.hasBegunToReceive() == true)
        client = nil

        await server.closedConnections.wait(for: 1)
        #expect(held.hasCancelledMore)
    }

    @Test(arguments: [false, true])
    func noticesAnHTTP10ClientThatCloses(_ finishesSending: Bool) async throws {
        let held = HeldRequests()
        let server = try held.serve()
        var client: RawClient? = try RawClient(port: server.port)
        client?.send("GET / HTTP/1.0\r\n\r\n")
        if finishesSending { client?.finishSending() }
        #expect(held.waitForArrivals())
        client = nil

        await server.closedConnections.wait(for: 1)
        #expect(held.hasCancelledMore)
    }

    @Test func answersAnHTTP10ClientThatFinishedSending() async throws {
        let held = HeldRequests()
        let server = try held.serve()
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.0\r\n\r\n")
        client.finishSending()
        #expect(held.waitForArrivals())
        #expect(try client.hasBegunToReceive())
        held.answerAll()

        #expect(try client.reply().text == "0")
        #expect(!held.hasCancelledMore)
    }

    @Test(arguments: [false, true])
    func aStoppedServerLeavesItsNetwork(_ isStopped: Bool) throws {
        let network = MockNetwork()
        weak var server: LoopbackServer?
        let url: URL
        do {
            let started = try network.serve()
            server = started
            url = started.url
            if isStopped { started.stop() }
        }

        #expect((server == nil) == isStopped)
        #expect(network.servers.withLock { $0.count } == (isStopped ? 0 : 1))
        #expect(network.core.serves(url) == !isStopped)
    }

    @Test func servesIPv6OnTheSamePort() throws {
        let server = try LoopbackServer.echo()
        guard let client = try? RawClient(port: server.port, isIPv6: true) else {
            // A machine without IPv6.
            return
        }
        client.send(get("/"))

        #expect(try client.reply().status == 200)
    }

    #if !canImport(Darwin)
    // Foundation on Linux closes descriptors under its own live sources: their numbers are low.
    @Test func keepsItsSocketsAwayFromThoseOfFoundation() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let sockets = try Socket.listening(onPort: 0)
        defer { for socket in sockets { socket.close() } }

        #expect(sockets.allSatisfy { $0.descriptor >= min(limit.rlim_cur / 2, 4096) })
    }
    #endif
}
