import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The events of a stream and its connections are the same over each transport.
@Suite(.limited, .usesSockets) struct EventStreamTests {
    private func request(_ baseURL: URL, _ method: String = "GET") -> URLRequest {
        var request = URLRequest(url: baseURL.appending(path: "events"))
        request.httpMethod = method
        return request
    }

    private func events(_ pieces: String..., every interval: Duration = .zero) -> MockResponse {
        .chunks(pieces, every: interval, contentType: "text/event-stream")
    }

    private let clock = MockClock()
    private let network = MockNetwork()
    private let baseURL = URL(string: "https://api.example.com")!

    private var session: MockNetwork { network }

    /// Gives up at the third connection without an event.
    private let atOnce = RetryPolicy(maximumAttempts: 3, baseDelay: .zero, deadline: nil)

    /// Reconnects immediately.
    private func stream(
        _ session: any HTTPSession, _ request: URLRequest, after id: String = ""
    ) -> EventStream {
        session.events(request, after: id, reconnecting: atOnce, clock: ImmediateClock())
    }

    @Test(arguments: Transport.allCases)
    func continuesAfterTheLastEvent(_ transport: Transport) async throws {
        network.stub(
            .get("/events"), events("id: 1\ndata: a\n\n", "id: 2\ndata: b\n\ndata: cut"),
            events("data: c\n\n", "id: 3\ndata: d\n\n"), .status(204))
        let (session, baseURL) = try transport.open(network)

        let all = try await list(stream(session, request(baseURL)))
        #expect(all.map(\.data) == ["a", "b", "c", "d"])
        #expect(all.map(\.id) == ["1", "2", "2", "3"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "2", "3"])
        #expect(
            network.requests.map { $0.header("Accept") }.allSatisfy { $0 == "text/event-stream" })
        #expect(network.requests.map { $0.header("Cache-Control") }.allSatisfy { $0 == "no-cache" })
    }

    @Test(arguments: Transport.allCases)
    func continuesAfterALostConnection(_ transport: Transport) async throws {
        let first = "id: 1\ndata: a\n\n"
        network.stub(
            .get("/events"), events(first, "id: 2\ndata: b").failing(afterBytes: 18),
            .error(.networkConnectionLost), events("id: 3\ndata: c\n\n"), .status(204))
        let (session, baseURL) = try transport.open(network)

        let all = try await list(stream(session, request(baseURL)))
        #expect(all.map(\.id) == ["1", "3"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "1", "3"])
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
        async let task = list(stream)

        // The backoff of 500 ms, halved by the jitter, or Retry-After is added to what `retry` asks
        // for. The last delay is the shortest one.
        for delay in [
            Duration.milliseconds(4_250), .milliseconds(4_250), .seconds(13), .milliseconds(100),
        ] {
            await clock.waitForSleepers()
            #expect(clock.pending == [delay])
            await clock.advance(by: delay)
        }

        #expect(try await task.map(\.data) == ["a", "b"])
        #expect(network.requests.count == 5)
    }

    @Test func startsAfterAStoredEvent() async throws {
        network.stub(.get("/events"), events("data: a\n\n"), .status(204))
        let stream = stream(session, request(baseURL), after: "41")
        #expect(try await list(stream) == [ServerSentEvent(data: "a", id: "41")])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == ["41", "41"])
    }

    @Test func tellsWhatToStore() async throws {
        network.stub(
            .get("/events"),
            events("id: 1\ndata: a\n\nid: 2\ndata: b\n\nretry: 5\n\nid: 3\n\n"), .status(204))
        var events = stream(session, request(baseURL)).makeAsyncIterator()
        #expect(network.requests.isEmpty)

        for id in ["1", "2"] { #expect(try await events.next()?.id == id) }
        #expect(try await events.next() == nil)

        // An ID may come without data.
        #expect(network.requests.last?.header("Last-Event-ID") == "3")
    }

    @Test func forgetsAnIDThatTheServerRemoves() async throws {
        network.stub(.get("/events"), events("id: 1\ndata: a\n\nid\ndata: b\n\n"), .status(204))
        let stream = stream(session, request(baseURL))
        #expect(try await list(stream).map(\.id) == ["1", ""])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, nil])
    }

    @Test func reportsEachDelay() async throws {
        network.stub(
            .get("/events"), events("data: a\n\n"), .error(.timedOut), .text("busy", status: 503),
            .status(204))
        let reports = Locked<[String]>([])

        let stream = session.events(
            request(baseURL), reconnecting: RetryPolicy(maximumAttempts: 4, baseDelay: .zero)
        ) { delay, error in
            let text = error.map { error in
                "\(error.statusCode ?? (error.underlying as? URLError)?.code.rawValue ?? 0) "
                    + String(decoding: error.data ?? Data(), as: UTF8.self)
            }
            reports.withLock { $0.append("\(delay) \(text ?? "complete")") }
        }
        _ = try await list(stream)

        #expect(
            reports.withLock { $0 } == [
                "0.1 seconds complete", "0.1 seconds -1001 ", "0.1 seconds 503 busy",
            ])
    }

    @Test(arguments: Transport.allCases)
    func givesUpOnAServerThatEndsEachConnection(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), events(": no event\n\n"), times: .any)

        let (all, error) = await stream(session, request(baseURL)).outcome()
        #expect(all.isEmpty)
        #expect(error?.stage == .transport)
        #expect(error?.underlying as? StreamError == StreamError.noEvents(connectionCount: 3))
        #expect(network.requests.count == 3)
    }

    @Test func countsConnectionsSinceTheLastEvent() async throws {
        network.stub(
            .get("/events"), events(""), events(""), events("data: a\n\n"), events(""), events(""),
            events("data: b\n\n"), events(""), .error(.timedOut), .error(.networkConnectionLost))

        let (all, error) = await stream(session, request(baseURL)).outcome()
        #expect(all.map(\.data) == ["a", "b"])
        // The last of three connections without an event gives its error.
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
        #expect(network.requests.count == 9)
    }

    @Test(arguments: Transport.allCases)
    func endsALoopOfRedirects(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), .redirect(to: "/events", status: 307), times: .any)
        let (_, error) = await stream(session, request(baseURL)).outcome()
        #expect((error?.underlying as? URLError)?.code == .httpTooManyRedirects)
        #expect(network.requests.count < 50)
    }

    @Test func endsAtARedirectWithoutALocation() async throws {
        network.stub(.get("/events"), .status(307))

        var events = stream(session, request(baseURL)).makeAsyncIterator()
        let error = await #expect(throws: APIRequestError.self) { try await events.next() }
        #expect(error?.stage == .validate)
        #expect(try await events.next() == nil)
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func throwsARefusalWithItsBody(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), .json(#"{"error": "Go away."}"#, status: 403))

        let (_, error) = await session.events(request(baseURL), reconnecting: atOnce).outcome()
        #expect(error?.stage == .validate)
        #expect(error?.statusCode == 403)
        #expect(try error?.decodeBody([String: String].self) == ["error": "Go away."])
        #expect(
            error?.underlying as? UnacceptableStatusError
                == UnacceptableStatusError(statusCode: 403, accepted: [200..<201]))
        #expect(error?.request?.value(forHTTPHeaderField: "Accept") == "text/event-stream")
        #expect(network.requests.count == 1)
    }

    @Test func throwsAPageInPlaceOfEvents() async throws {
        network.stub(
            .get("/events"),
            .text("<html><title>Login</title></html>").header("Content-Type", "text/html"))

        let log = EventLog()
        let (_, error) = await stream(session.observed(by: log), request(baseURL)).outcome()
        #expect(error?.stage == .parse)
        #expect(
            error?.underlying as? StreamError
                == .unexpectedContentType(found: "text/html", expected: ["text/event-stream"]))
        #expect(error?.data?.count == 33)
        #expect(network.requests.count == 1)
        // The session is informed of the rejected response.
        #expect(log.events.last.map { "\($0)".contains("stage .parse") } == true)
    }

    @Test func throwsTheErrorOfTheParserAfterTheEventsBefore() async throws {
        var body = Data("data: a\n\ndata: ".utf8)
        body.append(Data(repeating: UInt8(ascii: "x"), count: 16 * 1_048_576))
        network.stub(.get("/events"), .data(body, contentType: "text/event-stream"))

        let (all, error) = await stream(session, request(baseURL)).outcome()
        #expect(all.map(\.data) == ["a"])
        #expect(error?.stage == .parse)
        #expect(error?.underlying as? StreamError == .lineTooLong(limit: 16 * 1_048_576))
        #expect(network.requests.count == 1)
    }

    @Test func sendsAPostOnce() async throws {
        network.stub(.post("/events"), events("data: a\n\n"), .error(.networkConnectionLost))
        let stream = stream(session, request(baseURL, "POST"))

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
        let (_, error) = await session.events(request(baseURL), after: id).outcome()
        #expect(error?.stage == .makeRequest)
        #expect(error?.description.contains("\"Last-Event-ID\"") == true)
        #expect(network.requests.isEmpty)
    }

    enum Moment: CaseIterable { case headers, body, delay }

    @Test(arguments: Transport.allCases, Moment.allCases)
    func endsAtOnceWhenTheTaskIsCancelled(
        _ transport: Transport, _ moment: Moment
    ) async throws {
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        switch moment {
        case .headers: network.stub(.get("/events"), .hanging)
        case .body:
            network.stub(.get("/events"), events("data: a\n\n", "data: b\n\n", every: .seconds(1)))
        case .delay: network.stub(.get("/events"), events("data: a\n\n"))
        }
        let reading = Gate()
        let stream = session.events(request(baseURL), clock: clock, random: { 1 })
        let task = Task { for try await _ in stream { reading.open() } }

        if moment == .headers {
            await network.waitForRequests()
        } else {
            await reading.wait()
        }
        if moment == .delay { await clock.waitForSleepers() }
        task.cancel()
        let result = await task.result

        let error = #expect(throws: APIRequestError.self) { try result.get() }
        #expect(error?.isCancellation == true)
        if moment != .delay {
            await network.waitForResponses(1)
            #expect(network.requests.map(\.wasCancelled) == [true])
        }
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func endsTheTransferWhenTheLoopIsLeft(_ transport: Transport) async throws {
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/events"), events("data: a\n\n", "data: b\n\n", every: .seconds(1)))

        let stream = session.events(request(baseURL), clock: clock)
        for try await _ in stream { break }
        await network.waitForResponses(1)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func returnsNoEventInACancelledTask() async throws {
        network.stub(.get("/events"), events("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"))
        let stream = session.events(request(baseURL))

        try await Task {
            var events = stream.makeAsyncIterator()
            let first = try await events.next()
            withUnsafeCurrentTask { $0?.cancel() }

            #expect(first?.data == "a")
            let error = await #expect(throws: APIRequestError.self) { try await events.next() }
            #expect(error?.isCancellation == true)
            // The second event has arrived, but is not returned.
            #expect(try await events.next() == nil)
        }.value
    }

    @Test func endsAnAttemptAtTheDeadline() async throws {
        network.stub(.get("/events"), events("data: a\n\n"), .hanging)
        let policy = RetryPolicy(baseDelay: .seconds(1), deadline: .seconds(10))
        let stream = session.events(
            request(baseURL), reconnecting: policy, clock: clock, random: { 1 })
        async let task = stream.outcome()

        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
        await network.waitForRequests(2)
        #expect(clock.pendingDeadlines == [.seconds(9)])
        await clock.advance(by: .seconds(9))

        let (all, error) = await task
        #expect(all.map(\.data) == ["a"])
        #expect((error?.underlying as? URLError)?.code == .timedOut)
        #expect(network.requests.count == 2)
    }

    @Test func doesNotCountTheTimeOfAConnectionAgainstTheDeadline() async throws {
        let network = MockNetwork(clock: clock)
        network.stub(
            .get("/events"), events("data: a\n\n", "data: b\n\n", every: .seconds(60)),
            .status(204))
        let policy = RetryPolicy(baseDelay: .zero, deadline: .seconds(10))
        var events = network.events(
            request(baseURL), reconnecting: policy, clock: clock
        ).makeAsyncIterator()

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
        let stream = session.events(
            URLRequest(url: URL(string: "https://api.example.com/events?room=sesame")!),
            redaction: ["room"])

        let (_, error) = await stream.outcome()
        #expect(error.map { "\($0)".contains("sesame") } == false)
    }

    @MainActor @Test func staysOnTheActorOfItsReader() async throws {
        network.stub(.get("/events"), events("data: a\n\n"), .status(204))
        var events = stream(session, request(baseURL)).makeAsyncIterator()
        while try await events.next() != nil { MainActor.assertIsolated() }
        #expect(network.requests.count == 2)
    }
}

private func list(_ stream: EventStream) async throws(APIRequestError) -> [ServerSentEvent] {
    let (events, error) = await stream.outcome()
    if let error { throw error }
    return events
}
