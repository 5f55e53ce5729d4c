import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct StubSendTests {
    @Test(arguments: Transport.allCases)
    func sendsToTheOpenStream(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport, .stream(contentType: "text/plain"))

        var pieces = try await client.stream().body.makeAsyncIterator()
        // The test need not read in another task.
        for piece in ["a", "b"] {
            try await stub.send(piece)
            #expect(try await pieces.next()?.text == piece)
        }
        try await stub.send("")
        try await stub.send(ServerSentEvent(data: "c"))
        try await stub.finish()

        #expect(try await pieces.next()?.text == "data: c\n\n")
        #expect(try await pieces.next() == nil)
        #expect(client.network.requests.first?.sent.map(\.text) == ["a", "b", "data: c\n\n"])
        await client.network.waitForResponses()
        try client.network.verify()
    }

    @Test(arguments: Transport.allCases)
    func sendsToAHeldStream(_ transport: Transport) async throws {
        let clock = MockClock()
        let (client, stub) = try TestClient.stubbed(transport, clock: clock, .stream().held)
        async let load = client.load()
        await stub.waitForRequests()
        async let sent: Void = stub.send("a")
        await yieldWhile { client.network.watch.callCount == 0 }
        // What is sent arrives before the clock moves, unless the response is held.
        await clock.advance(by: .seconds(10))
        #expect(client.network.requests.first?.response == nil)

        stub.release()

        try await sent
        try await stub.finish()
        #expect(try await load == "a")
        #expect(client.network.requests.first?.sent.map(\.time) == [.seconds(10)])
    }

    @Test(arguments: Transport.allCases)
    func whatTheTestSendsArrivesBeforeTheClockMoves(_ transport: Transport) async throws {
        for _ in 0..<20 {
            let clock = MockClock(patience: .zero)
            let (client, stub) = try TestClient.stubbed(transport, clock: clock)
            var request = client.request()
            // In real time. The server does not know this timeout.
            if transport == .loopback { request.timeoutInterval = 3_600 }
            async let load = client.session.exchange(request)
            await stub.waitForRequests()
            await clock.advance(by: .seconds(59))

            try await stub.send("a")
            await clock.advance(by: .seconds(59))
            try await stub.finish()
            await clock.advance(by: .seconds(60))

            #expect(try await load.0.text == "a")
            #expect(client.network.requests.first?.sent.map(\.time) == [.seconds(59)])
            #expect(client.network.requests.first?.endTime == .seconds(118))
        }
    }

    @Test(arguments: Transport.allCases)
    func waitsForTheNextStream(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        let stub = client.network.stub(.any) { _ in .stream() }
        let test = Task {
            for text in ["a", "b"] {
                try await stub.send(text)
                try await stub.finish()
            }
        }

        for text in ["a", "b"] { #expect(try await client.load() == text) }

        try await test.value
    }

    @Test(arguments: Transport.allCases)
    func failsTheStream(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport)

        var pieces = try await client.stream().body.makeAsyncIterator()
        try await stub.send("a")
        #expect(try await pieces.next()?.text == "a")
        try await stub.fail(with: .networkConnectionLost)

        #expect(await urlErrorCode { try await pieces.next() } == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func waitsForTheNextStreamWhenTheClientHasGone(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport)
        let network = client.network
        _ = try await client.stream()
        await network.waitForResponses()

        // The client of a language model leaves at the last event.
        try await stub.finish()
        let calls = network.watch.callCount
        async let sent: Void = stub.send("b")
        // The test sends before the request arrives.
        await yieldWhile { network.watch.callCount == calls }
        async let load = client.load()

        try await sent
        try await stub.finish()
        #expect(try await load == "b")

        _ = try await client.stream()
        await network.waitForResponses(3)
        async let failed: Void = stub.fail(with: .networkConnectionLost)
        #expect(await urlErrorCode { try await client.load() } == .networkConnectionLost)
        try await failed
    }

    /// A client that leaves on the last element may connect again before the test ends the stream.
    @Test(arguments: [false, true], [false, true])
    func endsTheStreamToWhichItSent(_ hasLeft: Bool, _ isOpenAgain: Bool) async throws {
        let (client, stub) = try TestClient.stubbed()
        var body: HTTPBody? = try await client.stream().body
        try await stub.send("[DONE]")
        if hasLeft {
            body = nil
            await client.network.waitForResponses()
        }
        var next = isOpenAgain ? try await client.stream().body : nil

        try await stub.finish()

        await client.network.waitForResponses()
        #expect(client.network.requests.first?.endTime != nil)
        next = next == nil ? try await client.stream().body : next
        try #require(client.network.requests.last?.endTime == nil)
        try await stub.send("b")
        try await stub.finish()
        #expect(try await next?.text == "b")
        #expect(try await body?.text ?? "[DONE]" == "[DONE]")
    }

    enum FirstEnd: CaseIterable { case left, leftAfterAPiece, finished }

    /// A client that left counts for one call, and a stream that the test ended counts for none.
    @Test(arguments: FirstEnd.allCases, [false, true])
    func waitsForTheStreamAfterTheFirst(_ end: FirstEnd, _ isOpenAgain: Bool) async throws {
        let (client, stub) = try TestClient.stubbed()
        var body: HTTPBody? = try await client.stream().body
        if end == .leftAfterAPiece { try await stub.send("a") }
        if end == .finished {
            try await stub.finish()
            #expect(try await body?.text == "")
        }
        body = nil
        await client.network.waitForResponses()
        if end != .finished { try await stub.finish() }
        let next = isOpenAgain ? try await client.stream().body : nil

        let (calls, hasEnded) = (client.network.watch.callCount, Locked(false))
        let test = Task {
            try await stub.finish()
            hasEnded.withLock { $0 = true }
        }
        await yieldWhile { client.network.watch.callCount == calls && !hasEnded.withLock { $0 } }

        if let next {
            #expect(try await next.text == "")
        } else {
            try #require(!hasEnded.withLock { $0 })
            #expect(try await client.load() == "")
        }
        try await test.value
    }

    /// The client may leave after the test has looked for open streams, and before the delivery has
    /// taken the piece.
    @Test(arguments: [false, true])
    func throwsForAStreamThatHasClosed(_ isPostedBefore: Bool) async throws {
        let stream = OpenStream(in: Monitor(.init()))
        let sent = Promise<Void>()
        if !isPostedBefore { stream.close() }

        stream.post(.piece(Data("a".utf8), sent))
        if isPostedBefore { stream.close() }

        try #require(sent.hasEnded)
        await #expect(throws: URLError(.networkConnectionLost)) { try await sent.value() }
    }

    /// A suspended task of a client, which therefore receives nothing, and a call that sends to it.
    private func sending(
        _ stub: Stub, on network: MockNetwork, _ texts: Recorder<String?> = Recorder()
    ) async -> (URLSessionDataTask, Task<Void, any Error>) {
        let task = network.urlSession.dataTask(with: .test("a")) { data, _, _ in
            texts.append(data?.text)
        }
        task.resume()
        await stub.waitForRequests()
        task.suspend()
        let test = Task { try await stub.send("a", fileID: "Tests/Send.swift", line: 7) }
        await yieldWhile { network.requests.first?.sentBody.pieceCount == 0 }
        return (task, test)
    }

    /// A client of the whole body takes the last piece, and so ends the response, while it receives
    /// it.
    @Test func endsWhileTheClientReceivesTheLastPiece() async throws {
        let (client, stub) = try TestClient.stubbed()
        let texts = Recorder<String?>()
        let (task, test) = await sending(stub, on: client.network, texts)
        try await stub.finish()

        task.resume()

        #expect(await texts.events { _ in true } == ["a"])
        try await test.value
    }

    @Test func throwsWhenTheClientLeavesBeforeItHasThePiece() async throws {
        let (client, stub) = try TestClient.stubbed()
        let (task, test) = await sending(stub, on: client.network)

        task.cancel()

        await #expect(throws: URLError(.networkConnectionLost)) { try await test.value }
    }

    @Test func sendsToEveryOpenStream() async throws {
        for _ in 0..<50 {
            let (client, stub) = try TestClient.stubbed()
            let bodies = [try await client.stream().body, try await client.stream().body]
            let readers = bodies.map { body in Task { try await body.text } }

            try await stub.send("1")
            try await stub.send("2")
            try await stub.finish()

            for reader in readers { #expect(try await reader.value == "12") }
        }
    }

    @Test(arguments: [MockResponse.json("{}"), .events(["a"]), .stream { _ in }, .hanging])
    func throwsWithoutAResponseToSend(_ response: MockResponse) async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/a"), response, fileID: "Tests/Stub.swift", line: 3)

        for call in ["send()", "finish()", "fail()"] {
            let error = await #expect(throws: MockError.self) {
                switch call {
                case "send()": try await stub.send("a", fileID: "Tests/Send.swift", line: 7)
                case "finish()": try await stub.finish(fileID: "Tests/Send.swift", line: 7)
                default: try await stub.fail(fileID: "Tests/Send.swift", line: 7)
                }
            }
            #expect(
                error?.description == """
                    stub.\(call) (Tests/Send.swift:7) needs a stub that responds with .stream(), without \
                    a closure. The stub for method GET, path /a (Tests/Stub.swift:3) responds with \
                    \(response).
                    """)
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let (client, stub) = try TestClient.stubbed()
        let waiting = Task { try await stub.send("a") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        let (task, sending) = await sending(stub, on: client.network)
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        task.cancel()
    }

    @Test func aWaitForAStreamIsReported() async throws {
        let recorder = ReportRecorder()
        let network = recorder.network()
        let stub = network.stub(.get("/a"), .stream(), fileID: "Tests/Stub.swift", line: 3)
        let test = Task { try await stub.send("a", fileID: "Tests/Send.swift", line: 7) }

        await recorder.waitForWatch()
        await recorder.clock.advance(by: .seconds(5))

        #expect(
            recorder.reports == [
                """
                APIKitLiteTesting: stub.send() (Tests/Send.swift:7) has waited for 5.0 seconds: \
                no stream of the stub for method GET, path /a (Tests/Stub.swift:3) is open.
                  The network received no request. Perhaps no load was started or awaited, or it \
                uses a different session. Pass it network, or network.urlSession.

                """
            ])
        test.cancel()
        _ = await test.result
    }

    @Test func aClientThatDoesNotReadIsReported() async throws {
        let recorder = ReportRecorder()
        let network = recorder.network()
        let stub = network.stub(.get("/a"), .stream(), fileID: "Tests/Stub.swift", line: 3)
        let (task, test) = await sending(stub, on: network)

        await recorder.waitForReport()

        #expect(
            recorder.reports == [
                """
                APIKitLiteTesting: stub.send() (Tests/Send.swift:7) has waited for 5.0 seconds: the \
                client has the headers and does not read. Read in another task, or write `async let \
                sent: Void = stub.send(…)`.
                  The stub for method GET, path /a (Tests/Stub.swift:3) has sent a piece, and the \
                client of 1 request does not read.

                """
            ])
        task.cancel()
        _ = await test.result
    }
}
