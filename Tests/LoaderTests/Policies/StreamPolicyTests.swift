import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The effect of each policy on a stream.
@Suite(.limited) struct StreamPolicyTests {
    private let clock = MockClock(patience: .zero)
    private let network: MockNetwork

    init() { network = MockNetwork(clock: clock) }

    private var session: MockNetwork { network }

    /// The text of a body, and the code of the error that ended it.
    private func read(_ body: HTTPBody) async -> (text: String, error: URLError.Code?) {
        var data = Data()
        do {
            for try await piece in body { data += piece }
            return (data.text, nil)
        } catch {
            return (data.text, (error as? URLError)?.code)
        }
    }

    @Test(
        arguments: [
            ([.status(503), .error(.networkConnectionLost), .text("value")], 200, "value", 3),
            // The last refusal is returned with its body.
            ([.text("busy", status: 503)], 503, "busy", 3),
            // After the headers, no request is sent again.
            ([.text("value").failing(afterBytes: 0)], 200, "", 1),
        ] as [([MockResponse], Int, String, Int)])
    func retriesUntilTheHeaders(
        _ responses: [MockResponse], _ status: Int, _ text: String, _ count: Int
    ) async throws {
        network.stub(.get("/stream"), responses[responses.count - 1])
        for response in responses.dropLast().reversed() {
            network.stub(.get("/stream"), response, times: .once)
        }

        let session = session.retrying(RetryPolicy(baseDelay: .zero), clock: clock)
        let (body, response) = try await session.stream(.test("stream"))
        #expect(response.statusCode == status)
        #expect(await read(body) == (text, text.isEmpty ? .networkConnectionLost : nil))
        #expect(network.requests.count == count)
    }

    enum Ending: CaseIterable { case complete, failed, dropped, left }

    /// Stubs a stream of two pieces.
    private func stubStream(_ ending: Ending) {
        let response = MockResponse.chunks(["a", "b"], every: .seconds(3))
        network.stub(
            .get("/stream"), ending == .failed ? response.failing(afterBytes: 1) : response)
    }

    private func end(_ body: inout HTTPBody?, _ ending: Ending) async throws {
        if ending == .complete { await clock.advance(by: .seconds(3)) }
        switch ending {
        case .complete, .failed: _ = await read(try #require(body))
        case .left: for try await _ in try #require(body) { break }
        case .dropped: body = nil
        }
    }

    @Test(arguments: Ending.allCases)
    func aStreamHasItsPlaceUntilItEnds(_ ending: Ending) async throws {
        stubStream(ending)
        network.stub(.get("/other"), .text("other"), times: .any)
        let session = session.limited(to: 1)

        var body: HTTPBody? = try await session.stream(.test("stream")).0
        let other = await settledTask { await session.outcome(of: .test("other")) }
        #expect(network.requests.count == 1)
        try await end(&body, ending)
        #expect(try await other.value == .body("other"))
        _ = body
    }

    @Test func theTimeoutLimitsTheTimeToTheHeaders() async throws {
        network.stub(.get("/long"), .chunks(["a", "b"], every: .seconds(50)))
        let session = session.timingOut(after: .seconds(10), clock: clock)
        let (body, _) = try await session.stream(.test("long"))
        await clock.advance(by: .seconds(50))
        #expect(await read(body) == ("ab", nil))
    }

    @Test func theIdleTimeoutLimitsTheSilence() async throws {
        network.stub(.get("/stream"), .chunks(["a", "b", "c"], every: .seconds(9)))
        let session = session.timingOut(after: .seconds(5), idle: .seconds(10), clock: clock)

        let (lively, _) = try await session.stream(.test("stream"))
        async let all = read(lively)
        for _ in 1...2 {
            await yieldWhile { clock.pendingDeadlines.last != .seconds(10) }
            await clock.advance(by: .seconds(9))
        }
        #expect(await all == ("abc", nil))
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test func theIdleTimeoutIgnoresTheReadersOwnPauses() async throws {
        network.stub(.get("/stream"), .chunks(["a", "b"], every: .seconds(20)))
        let session = session.timingOut(after: .seconds(5), idle: .seconds(10), clock: clock)
        let (body, _) = try await session.stream(.test("stream"))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        #expect(clock.pendingDeadlines.isEmpty)
        await clock.advance(by: .seconds(20))
        #expect(try await pieces.next()?.text == "b")
        #expect(try await pieces.next() == nil)
    }

    @Test func identicalStreamsAreNotShared() async throws {
        network.stub(.get("/stream"), .text("value"), times: .any)
        let session = session.coalescing()

        let first = try await session.stream(.test("stream")).0
        #expect(await session.outcome(of: .test("stream"), asStream: true) == .body("value"))
        #expect(await read(first) == ("value", nil))
        #expect(network.requests.count == 2)
    }

    @Test(arguments: [
        (Ending.complete, "complete after 2 bytes, 3.000 s"),
        (.left, "left by the reader after 1 byte, 0.000 s"),
        (.dropped, "left by the reader after 0 bytes, 0.000 s"),
        (.failed, "The network connection was lost. (URLError -1005), 0.000 s"),
    ])
    func anObserverIsToldHowAStreamEnds(_ ending: Ending, _ line: String) async throws {
        stubStream(ending)
        let log = EventLog(clock: clock)

        var body: HTTPBody? = try await session.observed(by: log).stream(.test("stream")).0
        let name = "#1 GET https://api.example.com/stream"
        #expect(log.lines == [name, "\(name): 200 (OK), streaming, 0.000 s"])

        try await end(&body, ending)
        #expect(log.events.count == 3)
        #expect(log.events.last?.description == "\(name): \(line)")
        body = nil
        #expect(log.events.count == 3)
    }

    /// A refusal that ends the events is reported once; one after which they reconnect, never.
    @Test(arguments: [
        (MockResponse.status(404), "The server responded with 404 (Not Found)"),
        (.json("{}"), "text/event-stream was expected"),
    ])
    func anObserverIsToldThatEventsWereRejected(
        _ response: MockResponse, _ reason: String
    ) async throws {
        network.stub(.get("/events"), response)
        network.stub(.get("/events"), .status(503), times: .exactly(2))
        let log = EventLog(clock: clock)
        let events = session.observed(by: log).events(
            .test("events"), clock: ImmediateClock(), random: { 0 })

        await #expect(throws: APIRequestError.self) { for try await _ in events {} }

        let rejections = log.events.filter { if case .rejected = $0.kind { true } else { false } }
        #expect(rejections.map(\.id) == [3])
        #expect(rejections.first?.description.contains(reason) == true, "\(rejections)")
    }

    @Test func aClosureSeesTheHeadAndTheTrueBody() async throws {
        network.stub(.get("/stream"), .text("value", status: 203), times: .any)
        let seen = Locked<[String?]>([])
        let session = session.intercepting { request, next in
            let (body, response) = try await next(request)
            seen.withLock { $0.append("\(response.statusCode) \(body.data?.text ?? "pieces")") }
            return (body, try makeResponse(to: request, status: 299).1)
        }

        let (body, response) = try await session.stream(.test("stream"))
        #expect(response.statusCode == 299)
        #expect(await read(body) == ("value", nil))
        #expect(await session.outcome(of: .test("stream")) == .body("value"))
        #expect(seen.withLock { $0 } == ["203 pieces", "203 value"])
    }

    /// What a closure does after it got a stream.
    @Test(arguments: [.body("own"), .body("other"), .otherError] as [ExchangeOutcome])
    func aStreamThatTheClosureDropsEnds(_ outcome: ExchangeOutcome) async throws {
        network.stub(.get("/stream"), .chunks(["a", "b"], every: .seconds(1)))
        network.stub(.get("/other"), .text("other"))
        let session = session.limited(to: 1).intercepting { request, next in
            _ = try await next(request)
            if outcome == .otherError { throw TestError() }
            if outcome == .body("own") { return try makeResponse(to: request, "own") }
            return try await next(.test("other"))
        }

        #expect(await session.outcome(of: .test("stream"), asStream: true) == outcome)
        await network.waitForResponses(1)
        #expect(network.requests.first?.wasCancelled == true)
    }

    @Test(arguments: [3, 4])
    func theBytesThatWaitAreLimited(_ limit: Int) async throws {
        network.stub(.get("/stream"), .chunks(["a", "bb", "cc"], every: .seconds(1)))
        let limited = session.timingOut(after: .seconds(9), idle: .seconds(9), clock: clock)
        let session = limited.retrying(clock: clock)
        let (body, _) = try await session.stream(.test("stream"), buffering: limit)
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        await clock.advance(by: .seconds(2))
        #expect(try await pieces.next()?.text == (limit == 4 ? "bbcc" : "bb"))
        if limit == 4 {
            #expect(try await pieces.next() == nil)
        } else {
            await #expect(throws: TransportError.bodyLimit(3)) { _ = try await pieces.next() }
        }
    }
}
