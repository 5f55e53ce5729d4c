import TestSupport

@testable import APIKitLiteTesting

/// Bodies that a closure sends over a socket.
@Suite(.limited, .usesSockets, .mayBlock) struct LoopbackStreamTests {
    @Test func sendsTheWholeBodyAndThenTheNextResponse() throws {
        let network = MockNetwork()
        network.stub(
            .get("/a"), .stream { for piece in ["one ", "two"] { try await $0.send(piece) } })
        network.stub(.get("/b"), .text("b"))
        let server = try network.serve()
        let client = try RawClient(port: server.port, sending: get("/a") + get("/b"))
        let reply = try client.reply()

        #expect(reply.text == "one two")
        #expect(reply.header("Content-Length") == nil)
        #expect(reply.header("Transfer-Encoding") == "chunked")
        #expect(try client.reply().text == "b")
    }

    @Test func waitsForAClientThatReadsSlowly() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let piece = Data(count: 1_048_576)
        network.stub(.any, .stream { writer in for _ in 0..<64 { try await writer.send(piece) } })
        let client = try network.serve().client(get("/"))
        _ = try client.hasBegunToReceive()
        var count = 0
        while network.requests[0].sentBody.pieceCount != count {
            count = network.requests[0].sentBody.pieceCount
            for _ in 0..<5_000 { await Task.yield() }
        }
        await clock.advance(by: .seconds(1))

        #expect(try client.reply().body.count == 64 * piece.count)
        await network.waitForResponses()
        // The buffers of the system are smaller, so the last pieces were not sent before the
        // client read.
        #expect(network.requests[0].sentBody.pieceCount == 64)
        #expect(network.requests[0].endTime == .seconds(1))
    }

    @Test(arguments: [false, true])
    func endsWhenTheClientLeaves(_ isReset: Bool) async throws {
        let network = MockNetwork()
        let (isRunning, isCancelled) = (Gate(), Gate())
        network.stub(
            .any,
            .stream { writer in
                isRunning.open()
                // The server notices it when it writes.
                while (try? await writer.send("a")) != nil {}
                isCancelled.open()
            })
        var client: RawClient? = try network.serve().client()

        client?.send(get("/"))
        _ = try client?.hasBegunToReceive()
        await isRunning.wait()
        if isReset { client?.reset() }
        client = nil

        await isCancelled.wait()
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func stoppingTheServerEndsTheStream() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let server = try network.serve()
        let client = try RawClient(port: server.port, sending: get("/"))
        _ = try client.hasBegunToReceive()

        server.stop()

        let requests = await network.waitForResponses()
        #expect(requests.map(\.wasCancelled) == [true])
        // It does not wait for a client: that of the stream has left.
        try await stub.finish()
    }
}
