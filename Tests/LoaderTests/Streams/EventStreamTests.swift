import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The events of a stream and its connections are the same over each transport.
@Suite(.limited, .usesSockets) struct EventStreamTests {
    private func request(_ baseURL: URL) -> URLRequest {
        URLRequest(url: baseURL.appending(path: "events"))
    }

    private let clock = MockClock()
    private let network = MockNetwork()
    private let request = URLRequest.test("events")

    /// Reconnects immediately, and gives up at the third connection without an event.
    private func stream(
        _ session: any HTTPSession, _ request: URLRequest, after id: String = ""
    ) -> EventStream {
        session.events(request, after: id, reconnecting: .attempts(3), clock: ImmediateClock())
    }

    private typealias Row = (events: [MockResponse], after: String, ids: [String], sent: [String?])

    /// The responses before a 204, the event that the client has stored, the IDs of the events, and
    /// `Last-Event-ID` of each request.
    private static let connections: [Row] = [
        (
            [
                events("id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: cut"), events("data: c\n\n"),
                events("id: 3\ndata: d\n\n"),
            ], "", ["1", "2", "2", "3"], [nil, "2", "2", "3"]
        ),
        ([events("data: a\n\n")], "41", ["41"], ["41", "41"]),
        // An ID may come without data.
        ([events("id: 1\ndata: a\n\nretry: 5\n\nid: 3\n\n")], "", ["1"], [nil, "3"]),
        ([events("id: 1\ndata: a\n\nid\ndata: b\n\n")], "", ["1", ""], [nil, nil]),
        // The connection is lost.
        (
            [
                events("id: 1\ndata: a\n\n", "id: 2\ndata: b").failing(afterBytes: 18),
                .error(.networkConnectionLost), events("id: 3\ndata: c\n\n"),
            ], "", ["1", "3"], [nil, "1", "1", "3"]
        ),
    ]

    @Test(arguments: Transport.allCases, connections.indices)
    func continuesAfterTheLastEvent(_ transport: Transport, _ index: Int) async throws {
        let (responses, after, ids, sent) = Self.connections[index]
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), each: responses + [.status(204)])
        let stream = stream(session, request(baseURL), after: after)
        #expect(network.requests.isEmpty)
        #expect(try await stream.all().map(\.id) == ids)
        #expect(network.requests.map { $0.header("Last-Event-ID") } == sent)
    }

    @Test(arguments: Transport.allCases)
    func waitsAsLongAsTheServerAsks(_ transport: Transport) async throws {
        network.stub(
            .get("/events"), events("retry: 4000\n\n", "data: a\n\n"), events(": no event\n\n"),
            .status(429, headers: ["Retry-After": "9"]), events("retry: 1\ndata: b\n\n"),
            .status(204))
        let (session, baseURL) = try transport.open(network)
        let stream = session.events(
            request(baseURL), reconnecting: RetryPolicy(maximumAttempts: 3, deadline: nil),
            clock: clock, random: { 0.5 })
        async let events = stream.all()

        // The backoff of 500 ms and then 1 s, halved by the jitter, or Retry-After is added to what
        // `retry` asks for. The last delay is the shortest one.
        for milliseconds in [4_250, 4_500, 13_000, 100] {
            let delay = Duration.milliseconds(milliseconds)
            await clock.waitForSleepers()
            #expect(clock.pending == [delay])
            await clock.advance(by: delay)
        }

        #expect(try await events.map(\.data) == ["a", "b"])
        #expect(network.requests.count == 5)
    }

    @Test func reportsEachDelay() async throws {
        let busy = MockResponse.text("busy", status: 503)
        network.stub(.any, events("data: a\n\n"), .error(.timedOut), busy, .status(204))
        let reports = Locked<[String]>([])
        let stream = network.events(
            request, reconnecting: .attempts(4),
            willReconnect: { delay, error in
                let code = error?.statusCode ?? (error?.underlying as? URLError)?.code.rawValue
                let text = error?.data?.text ?? ""
                reports.withLock {
                    $0.append("\(delay) \(code.map { "\($0)" } ?? "complete") \(text)")
                }
            }, clock: clock)
        async let events = stream.all()
        await clock.advance(byEach: Array(repeating: .milliseconds(100), count: 3))
        _ = try await events

        let expected = ["complete ", "-1001 ", "503 busy"].map { "0.1 seconds \($0)" }
        #expect(reports.withLock { $0 } == expected)
    }

    private typealias Ending = (
        responses: [MockResponse], data: [String], APIRequestError.Stage, any Error, count: Int
    )

    /// The responses, of which the last one repeats, and how the events end.
    private static let endings: [Ending] = {
        let quiet = ["", ": ping\n\n", "heartbeat: 1\n\n", "data: a\n\n", ""].map { events($0) }
        let busy: [MockResponse] = [.status(503), .status(503), events(""), .status(503)]
        let json = StreamError.unexpectedJSON(#"{"error":{"code":503}}"#)
        let statuses = [503, 403].map {
            UnacceptableStatusError(statusCode: $0, accepted: [200..<201])
        }
        let loop = MockResponse.redirect(to: "/events", status: 307)
        return [
            // The last of three connections that are not accepted gives its error.
            (quiet + busy, ["a"], .validate, statuses[0], 11),
            ([events("data: a\n\n{\"error\":", "{\"code\":503}}\n")], ["a"], .parse, json, 1),
            ([loop], [], .transport, URLError(.httpTooManyRedirects), 17),
            ([.status(403)], [], .validate, statuses[1], 1),
        ]
    }()

    @Test(arguments: Transport.allCases, endings.indices)
    func endsWithTheErrorOfItsLastConnection(_ transport: Transport, _ index: Int) async throws {
        let (responses, data, stage, expected, count) = Self.endings[index]
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), each: responses)

        let (events, error) = await stream(session, request(baseURL)).outcome()
        #expect(events.map(\.data) == data)
        #expect(error?.stage == stage)
        #expect((error?.underlying as? URLError)?.code == (expected as? URLError)?.code)
        #expect(error?.underlying as? StreamError == expected as? StreamError)
        #expect(
            error?.underlying as? UnacceptableStatusError == expected as? UnacceptableStatusError)
        #expect(network.requests.count == count)
    }

    @Test func endsAtALineThatIsTooLong() async throws {
        let longest = 16 * 1_048_576
        network.stub(.any, events("data: a\n\ndata: " + String(repeating: "x", count: longest)))
        let (all, error) = await stream(network, request).outcome()
        #expect(all.map(\.data) == ["a"])
        #expect(error?.stage == .parse)
        #expect(error?.underlying as? StreamError == .lineTooLong(limit: longest))
        #expect(network.requests.count == 1)
    }

    @Test func sendsAPostOnce() async throws {
        network.stub(.post("/events"), events("data: a\n\n"), .error(.networkConnectionLost))
        let stream = stream(network, .test("events", method: "POST"))
        let (all, end) = await stream.outcome()
        #expect(all.map(\.data) == ["a"])
        #expect(end == nil)
        #expect(network.requests.count == 1)
        // Another iterator sends its own request.
        let (_, error) = await stream.outcome()
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
        #expect(network.requests.count == 2)
    }

    @Test(arguments: ["a\nX-Admin: 1", "a\r", "a\r\nb", "a\0"])
    func sendsNothingWithAnUnusableID(_ id: String) async throws {
        let (_, error) = await network.events(request, after: id).outcome()
        #expect(error?.stage == .makeRequest)
        #expect(error?.description.contains("\"Last-Event-ID\"") == true)
        #expect(network.requests.isEmpty)
    }

    enum Moment: CaseIterable { case headers, body, delay, left }

    @Test(arguments: Transport.allCases, Moment.allCases)
    func endsWithItsTaskOrItsLoop(_ transport: Transport, _ moment: Moment) async throws {
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        switch moment {
        case .headers: network.stub(.get("/events"), .hanging)
        case .body, .left:
            network.stub(.get("/events"), events("data: a\n\n", "data: b\n\n", every: .seconds(1)))
        case .delay: network.stub(.get("/events"), events("data: a\n\n"))
        }
        let reading = Gate()
        let stream = session.events(request(baseURL), clock: clock, random: { 1 })
        let task = Task {
            await stream.outcome(limit: moment == .left ? 1 : .max) { _ in reading.open() }
        }

        if moment == .headers { await network.waitForRequests() } else { await reading.wait() }
        if moment == .delay { await clock.waitForSleepers() }
        if moment != .left { task.cancel() }
        #expect(await (task.value.error?.isCancellation == true) == (moment != .left))
        if moment != .delay {
            await network.waitForResponses(1)
            #expect(network.requests.map(\.wasCancelled) == [true])
        }
        #expect(network.requests.count == 1)
    }

    @Test func endsAnAttemptAtTheDeadline() async throws {
        let clock = MockClock(patience: .zero)
        network.stub(.get("/events"), events("data: a\n\n"), .hanging)
        let policy = RetryPolicy(baseDelay: .seconds(1), deadline: .seconds(10))
        let stream = network.events(request, reconnecting: policy, clock: clock, random: { 1 })
        async let task = stream.outcome()

        await clock.advance(byEach: [.seconds(1)])
        await network.waitForRequests(2)
        #expect(clock.pendingDeadlines == [.seconds(9)])
        await clock.advance(by: .seconds(9))

        let (all, error) = await task
        #expect(all.map(\.data) == ["a"])
        #expect((error?.underlying as? URLError)?.code == .timedOut)
        #expect(network.requests.count == 2)
    }

    @Test func doesNotCountTheTimeOfAConnectionAgainstTheDeadline() async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        let pieces = events("data: a\n\n", "data: b\n\n", every: .seconds(60))
        network.stub(.get("/events"), pieces, .status(204))
        let policy = RetryPolicy(baseDelay: .zero, deadline: .seconds(10))
        var events = network.events(request, reconnecting: policy, clock: clock).makeAsyncIterator()

        #expect(try await events.next()?.data == "a")
        await clock.advance(by: .seconds(60))
        #expect(try await events.next()?.data == "b")
        async let delay: Void = {
            await clock.waitForSleepers()
            await clock.advanceToNextSleeper()
        }()
        #expect(try await events.next() == nil)
        await delay

        #expect(network.requests.count == 2)
    }

    @Test func hidesSecretsInItsErrors() async throws {
        network.stub(.any, .status(404))
        let request = URLRequest(url: URL(string: "https://api.example.com/events?room=sesame")!)
        let stream = network.events(request, redaction: .none.adding("room"))
        #expect(await stream.outcome().error.map { "\($0)".contains("sesame") } == false)
    }

    @MainActor @Test func staysOnTheActorOfItsReader() async throws {
        network.stub(.get("/events"), events("data: a\n\n"), .status(204))
        var events = stream(network, request).makeAsyncIterator()
        while try await events.next() != nil { MainActor.assertIsolated() }
        #expect(network.requests.count == 2)
    }
}
