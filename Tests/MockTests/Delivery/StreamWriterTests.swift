import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct StreamWriterTests {
    private func network(
        clock: MockClock? = nil, _ send: @escaping @Sendable (StreamWriter) async throws -> Void
    ) -> MockNetwork { MockNetwork(.stream(send), clock: clock) }

    @Test(arguments: Transport.allCases)
    func givesThePiecesInOrder(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(
            .any,
            .stream(contentType: "text/plain", status: 201, headers: ["X-Name": "a"]) { writer in
                try await writer.send("one ")
                try await writer.send("")
                try await writer.send(Data("two ".utf8))
                try await writer.send(ServerSentEvent(data: "three", id: "3"))
            })

        let (body, response) = try await client.stream()
        // As over a network, a piece that its client has may wait for the reader.
        await client.network.waitForResponses()

        #expect(response.statusCode == 201)
        let headers = ["Content-Type", "X-Name", "Content-Length"]
            .map { response.value(forHTTPHeaderField: $0) }
        #expect(headers == ["text/plain", "a", nil])
        #expect(try await body.text == "one two id: 3\ndata: three\n\n")
        let sent = client.network.requests.first?.sent.map(\.text)
        #expect(sent == ["one ", "two ", "id: 3\ndata: three\n\n"])
        try client.network.verify()
    }

    @Test(arguments: Transport.allCases)
    func givesTheHeadersBeforeThePieces(_ transport: Transport) async throws {
        let gate = Gate()
        let client = try TestClient(
            transport,
            network { writer in
                await gate.wait()
                try await writer.send("a")
                await gate.wait()
            })

        let (body, response) = try await client.stream()
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        #expect(client.network.requests.first?.sent == [])
        gate.open()

        #expect(try await body.text == "a")
    }

    @Test(arguments: Transport.allCases)
    func sleepsOnTheClockOfTheNetwork(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let client = try TestClient(
            transport,
            network(clock: clock) { writer in
                for number in 1...3 {
                    try await writer.send("\(number)")
                    try await clock.sleep(for: .seconds(40))
                }
            })

        var pieces = try await client.stream().body.makeAsyncIterator()
        for number in 1...3 {
            #expect(try await pieces.next()?.text == "\(number)")
            await clock.waitForSleepers()
            #expect(clock.pending == [.seconds(40)])
            // The timeout between two bytes starts again with each piece.
            #expect(clock.pendingDeadlines == [.seconds(60)])
            await clock.advance(by: .seconds(40))
        }

        #expect(try await pieces.next() == nil)
        #expect(clock.pendingDeadlines == [])
        let request = client.network.requests.first
        #expect(request?.sent.map(\.time) == [.zero, .seconds(40), .seconds(80)])
        #expect(request?.endTime == .seconds(120))
    }

    @Test func returnsFromASendAfterTheDelegate() async throws {
        let seen = Recorder<String>()
        let network = network { writer in
            for number in 1...20 {
                try await writer.send("\(number)")
                seen.append("sent \(number)")
            }
        }
        let session = network.urlSession(
            delegate: CallbackDelegate(piece: { _, data in seen.append("received \(data.text)") }))

        session.dataTask(with: .test("a")).resume()
        let events = await seen.events { $0 == "sent 20" }
        session.finishTasksAndInvalidate()

        #if canImport(FoundationNetworking)
        #expect(events == (1...20).flatMap { ["received \($0)", "sent \($0)"] })
        #else
        #expect(events.last == "sent 20")
        #endif
    }

    @Test func aClientThatLeavesBecauseOfAPieceHasTakenIt() async throws {
        let results = Recorder<URLError.Code?>()
        let network = network { writer in
            for piece in ["a", "b"] { await results.record { try await writer.send(piece) } }
        }
        // It cancels its task at the first piece, and returns when the network knows that.
        let session = network.urlSession(
            delegate: CallbackDelegate(piece: { task, _ in
                task.cancel()
                while network.requests.first?.endTime == nil { sched_yield() }
            }))

        session.dataTask(with: .test("a")).resume()

        #expect(await results.events { $0 != nil } == [nil, .networkConnectionLost])
        session.finishTasksAndInvalidate()
    }

    @Test(arguments: Transport.allCases, [false, true])
    func endsWhenTheClientLeaves(_ transport: Transport, isCancelled: Bool) async throws {
        let clock = MockClock()
        let errors = Recorder<URLError.Code?>()
        let client = try TestClient(
            transport,
            network(clock: clock) { writer in
                // The client may read the piece and leave before the delegate has returned.
                try? await writer.send("a")
                try? await clock.sleep(for: .seconds(30))
                await errors.record { try await writer.send("b") }
                // A call that begins after the end may throw just before the cancellation.
                await yieldWhile { true }
                errors.append(.cancelled)
            })

        let reading = Gate()
        let reader = Task {
            for try await _ in try await client.stream().body {
                reading.open()
                if !isCancelled { break }
            }
        }
        await reading.wait()
        if isCancelled { reader.cancel() }
        _ = await reader.result

        let codes = await errors.events { $0 != .networkConnectionLost }
        #expect(codes == [.networkConnectionLost, .cancelled])
        #expect(client.network.requests.map(\.wasCancelled) == [true])
        #expect(clock.pending == [] && clock.pendingDeadlines == [])
    }

    /// The task of the closure is cancelled then, but a task that the closure starts is not.
    @Test(arguments: [false, true])
    func throwsWhenTheClientLeavesBeforeItHasThePiece(_ isInOwnTask: Bool) async throws {
        let (errors, gate) = (Recorder<URLError.Code?>(), Gate())
        let network = network { writer in
            await gate.wait()
            await errors.record {
                let send = { @Sendable in try await writer.send("a") }
                try await isInOwnTask ? Task { try await send() }.value : send()
            }
        }
        let task = network.urlSession.dataTask(with: .test("a")) { _, _, _ in }
        task.resume()
        await network.waitForRequests()
        // A suspended task receives nothing.
        task.suspend()
        gate.open()
        await yieldWhile { network.requests.first?.sentBody.pieceCount == 0 }

        task.cancel()

        #expect(await errors.events { _ in true } == [.networkConnectionLost])
    }

    @Test(arguments: Transport.allCases)
    func itsErrorFailsTheBody(_ transport: Transport) async throws {
        let client = try TestClient(
            transport,
            network { writer in
                try await writer.send("a")
                throw URLError(.networkConnectionLost)
            })

        var pieces = try await client.stream().body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        #expect(await urlErrorCode { try await pieces.next() } == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func timesOutWhenNoPieceComes(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let isCancelled = Gate()
        let client = try TestClient(
            transport,
            network(clock: clock) { writer in
                // It fails if the client times out before the delegate has returned.
                try? await writer.send("a")
                _ = try? await waitForCancellation()
                isCancelled.open()
            })

        var pieces = try await client.stream().body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "a")
        await clock.advance(by: .seconds(60))

        let code = await urlErrorCode { try await pieces.next() }
        #expect(code == (transport == .loopback ? .networkConnectionLost : .timedOut))
        await isCancelled.wait()
    }

    @Test(arguments: [("HEAD", 200), ("GET", 199), ("GET", 204), ("GET", 304)])
    func runsNoClosureWithoutABody(_ method: String, _ status: Int) async throws {
        let network = MockNetwork(
            .stream(status: status) { _ in Issue.record("The closure must not run.") })

        let (data, response) = try await network.urlSession.exchange(.test("a", method: method))

        #expect(data.isEmpty)
        #expect(response.statusCode == status)
    }

    /// When a piece is taken, the response waits for its closure, and no longer for its client.
    @Test func isAwaitedAgainWhenThePieceIsTaken() async throws {
        let sent = Gate()
        let network = network { writer in
            try await writer.send("a")
            sent.open()
            _ = try await waitForCancellation()
        }

        let body = try await network.stream(.test("a")).0
        await sent.wait()

        #expect(network.core.journal.pending.map(\.reason) == [.writer])
        withExtendedLifetime(body) {}
    }

    @Test func aWriterSendsNothingAfterItsClosure() async throws {
        let kept = Locked<StreamWriter?>(nil)
        let network = network { writer in kept.withLock { $0 = writer } }

        _ = try await network.exchange(.test("a"))
        let writer = try #require(kept.withLock { $0 })

        await #expect(throws: URLError(.networkConnectionLost)) { try await writer.send("a") }
    }

    @Test func itsClosureHasTheTaskLocalsOfTheNetwork() async throws {
        let network = Name.$current.withValue("maker") { MockNetwork() }
        let stub = network.stub(.any, .stream { try await $0.send(Name.current) }.held)
        let load = Name.$current.withValue("caller") {
            Task { try await network.exchange(.test("a")).0.text }
        }

        await stub.waitForRequests()
        Name.$current.withValue("test") { stub.release() }

        #expect(try await load.value == "maker")
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let network = network { writer in
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await writer.send("a") }
        }

        #expect(try await network.exchange(.test("a")).0.isEmpty)
        #expect(network.requests.first?.sent == [])
    }

    @Test func refusesAChangeOfWhatOthersDecide() {
        let passed = MockResponse.passthrough(to: MockURLSession())
        let sender = "the code that sends a .stream decides"
        let (session, none) = ("the real session decides", "so it has no body")
        let rows: [(MockResponse, reason: String)] = [
            (.stream { _ in }.chunked(by: 1), sender), (.stream().failing(afterBytes: 1), sender),
            (.stream().acceptingRanges, sender), (passed.failing(afterBytes: 1), session),
            (passed.chunked(by: 1), session), (passed.header("X", "1"), session),
            (passed.acceptingRanges, session), (.error(.timedOut).failing(afterBytes: 1), none),
            (.hanging.failing(afterBytes: 1), none),
            (.chunks(["a"], every: .seconds(-1)), "an interval must not be negative"),
        ]
        for (response, reason) in rows {
            #expect("\(response)".hasPrefix("unusable response: "))
            #expect("\(response)".contains(reason))
        }
    }
}

private enum Name { @TaskLocal static var current = "" }

extension Recorder<URLError.Code?> {
    /// Records the code of the error that sending a piece throws; nil if the client takes the piece.
    fileprivate func record(_ send: () async throws -> Void) async {
        do {
            try await send()
            append(nil)
        } catch {
            append((error as? URLError)?.code)
        }
    }
}
