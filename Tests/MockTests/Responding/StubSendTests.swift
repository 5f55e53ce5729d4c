import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A test sends the body of a response over each transport.
@Suite(.limited, .usesSockets) struct StubSendTests {
    @Test(arguments: Transport.allCases)
    func sendsToTheOpenStream(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any, .stream(contentType: "text/plain"))

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        var pieces = body.makeAsyncIterator()
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
        #expect(network.requests.first?.sent.map(\.text) == ["a", "b", "data: c\n\n"])
        await network.waitForResponses()
        try network.verify()
    }

    /// What is sent before the headers waits for them.
    @Test(arguments: Transport.allCases)
    func sendsToAHeldStream(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any, .stream().held)
        async let load = session.exchange(URLRequest(url: baseURL)).0.text
        await stub.waitForRequests()
        async let sent: Void = stub.send("a")
        for _ in 0..<100 { await Task.yield() }
        #expect(network.requests.first?.response == nil)

        stub.release()

        try await sent
        try await stub.finish()
        #expect(try await load == "a")
    }

    /// Neither a message nor the end of a stream waits until the clock moves.
    @Test(arguments: Transport.allCases)
    func whatTheTestSendsArrivesBeforeTheClockMoves(_ transport: Transport) async throws {
        for _ in 0..<50 {
            let clock = MockClock()
            let network = MockNetwork(clock: clock)
            let (session, baseURL) = try transport.open(network)
            let stub = network.stub(.any, .stream())
            async let load = session.exchange(URLRequest(url: baseURL)).0.text
            await stub.waitForRequests()
            await clock.advance(by: .seconds(59))

            try await stub.send("a")
            await clock.advance(by: .seconds(59))
            try await stub.finish()
            await clock.advance(by: .seconds(60))

            #expect(try await load == "a")
            #expect(network.requests.first?.sent.map(\.time) == [.seconds(59)])
            #expect(network.requests.first?.endTime == .seconds(118))
        }
    }

    @Test(arguments: Transport.allCases)
    func waitsForTheNextStream(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any) { _ in .stream() }
        let test = Task {
            try await stub.send("a")
            try await stub.finish()
            try await stub.send("b")
            try await stub.finish()
        }

        for text in ["a", "b"] {
            #expect(try await session.exchange(URLRequest(url: baseURL)).0.text == text)
        }

        try await test.value
    }

    @Test(arguments: Transport.allCases)
    func failsTheStream(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any, .stream())

        let (body, _) = try await session.stream(URLRequest(url: baseURL))
        var pieces = body.makeAsyncIterator()
        try await stub.send("a")
        #expect(try await pieces.next()?.text == "a")
        try await stub.fail(with: .networkConnectionLost)

        let error = await #expect(throws: URLError.self) { _ = try await pieces.next() }
        #expect(error?.code == .networkConnectionLost)
    }

    /// Its client may connect again, as at a timeout.
    @Test(arguments: Transport.allCases)
    func waitsForTheNextStreamWhenTheClientHasGone(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any, .stream())
        _ = try await session.stream(URLRequest(url: baseURL))
        await network.waitForResponses()

        // The client of a language model leaves at the last event.
        try await stub.finish()
        let calls = network.watch.callCount
        async let sent: Void = stub.send("b")
        // The test sends before the request arrives.
        await yieldWhile { network.watch.callCount == calls }
        async let load = session.exchange(URLRequest(url: baseURL)).0.text

        try await sent
        try await stub.finish()
        #expect(try await load == "b")

        _ = try await session.stream(URLRequest(url: baseURL))
        await network.waitForResponses(3)
        async let failed: Void = stub.fail(with: .networkConnectionLost)
        let error = await #expect(throws: URLError.self) {
            try await session.exchange(URLRequest(url: baseURL))
        }
        #expect(error?.code == .networkConnectionLost)
        try await failed
    }

    /// A client of the whole body takes the last piece, and so ends the answer, while it receives it.
    @Test func endsWhileTheClientReceivesTheLastPiece() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let texts = Recorder<String?>()
        let task = network.urlSession.dataTask(with: .test("a")) { data, _, _ in
            texts.append(data?.text)
        }
        task.resume()
        await stub.waitForRequests()
        task.suspend()
        async let test: Void = stub.send("a")
        await yieldWhile { network.requests.first?.sentPieceCount == 0 }
        try await stub.finish()

        task.resume()

        #expect(await texts.events { _ in true } == ["a"])
        try await test
    }

    @Test func throwsWhenTheClientLeavesBeforeItHasThePiece() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let task = network.urlSession.dataTask(with: .test("a")) { _, _, _ in }
        task.resume()
        await stub.waitForRequests()
        task.suspend()
        let test = Task { try await stub.send("a") }
        await yieldWhile { network.requests.first?.sentPieceCount == 0 }

        task.cancel()

        await #expect(throws: URLError(.networkConnectionLost)) { try await test.value }
    }

    /// A client that has the headers gets what the test sends from then on.
    @Test func sendsToEveryOpenStream() async throws {
        for _ in 0..<50 {
            let network = MockNetwork()
            let stub = network.stub(.any, .stream())
            let session = network
            let bodies = [
                try await session.stream(.test("a")).0, try await session.stream(.test("b")).0,
            ]
            let readers = bodies.map { body in Task { try await body.text } }

            try await stub.send("1")
            try await stub.send("2")
            try await stub.finish()

            for reader in readers { #expect(try await reader.value == "12") }
        }
    }

    @Test func finishesAfterThePiecesThatWait() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let (body, _) = try await network.stream(.test("a"))
        try await stub.send("a")

        try await stub.finish()

        #expect(try await body.text == "a")
        #expect(network.requests.first?.endTime != nil)
    }

    @Test(arguments: [
        MockResponse.json("{}"), .events(["a"]), .stream { _ in }, .hanging,
    ])
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
            #expect(error?.reason == .noStream)
            #expect(
                error?.description == """
                    stub.\(call) (Tests/Send.swift:7) needs a stub that answers with .stream(), without \
                    a closure. The stub for method GET, path /a (Tests/Stub.swift:3) answers with \
                    \(response).
                    """)
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let waiting = Task { try await stub.send("a") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        let task = network.urlSession.dataTask(with: .test("a")) { _, _, _ in }
        task.resume()
        await stub.waitForRequests()
        task.suspend()
        let sending = Task { try await stub.send("a") }
        await yieldWhile { network.requests.first?.sentPieceCount == 0 }
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
                  The network received no request. Perhaps no load was started or awaited, or the \
                load uses another session than the network's.

                """
            ])
        test.cancel()
        _ = await test.result
    }

    /// A task that is suspended receives nothing.
    @Test func aClientThatDoesNotReadIsReported() async throws {
        let recorder = ReportRecorder()
        let network = recorder.network()
        let stub = network.stub(.get("/a"), .stream(), fileID: "Tests/Stub.swift", line: 3)
        let task = network.urlSession.dataTask(with: .test("a")) { _, _, _ in }
        task.resume()
        await stub.waitForRequests()
        task.suspend()
        let test = Task { try await stub.send("a", fileID: "Tests/Send.swift", line: 7) }
        await yieldWhile { network.requests.first?.sentPieceCount == 0 }

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
