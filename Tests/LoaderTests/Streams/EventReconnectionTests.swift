import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Whether and when an event stream connects again, and with which headers.
@Suite(.limited) struct EventReconnectionTests {
    private let policy = RetryPolicy(
        maximumAttempts: 4, baseDelay: .seconds(1), maximumDelay: .seconds(10), deadline: nil)

    private static let request = URLRequest.test("events")
    private static let lost = MockResponse.error(.networkConnectionLost)

    /// Connects until the events end, at the latest with a 204 after the responses.
    ///
    /// - Returns: The delays between the connections, and whether the events ended with an error.
    private func connections(
        _ responses: [MockResponse], _ request: URLRequest = request, policy: RetryPolicy? = nil,
        random: Double = 1
    ) async -> (delays: [Duration], fails: Bool) {
        let network = MockNetwork()
        network.stub(.any, each: responses + [.status(204)])
        let delays = Locked<[Duration]>([])
        // The mock refuses a GET with a body.
        let session = network.intercepting { request, next in
            var request = request
            request.httpBodyStream = nil
            return try await next(request)
        }
        let stream = session.events(
            request, reconnecting: policy ?? self.policy,
            willReconnect: { delay, _ in delays.withLock { $0.append(delay) } },
            clock: ImmediateClock(), random: { random },
            // Sun, 06 Nov 1994 08:49:37 GMT
            now: { Date(timeIntervalSince1970: 784_111_777) })

        let error = await stream.outcome().error
        #expect(network.requests.count == delays.withLock { $0.count } + 1)
        return (delays.withLock { $0 }, error != nil)
    }

    @Test func decidesByTheEndOfTheConnection() async {
        // The delay of the next connection, if there is one.
        let created = events("data: a\n\n", status: 201)
        let rows: [(MockResponse, Double?)] = [
            (events(""), 1), (events("data: a\n\n"), 1),
            // The statuses of the policy, with and without a delay that the server asks for.
            (.status(503), 1), (.status(429).header("Retry-After", "7"), 7),
            (.status(503).header("Retry-After", "Sun, 06 Nov 1994 08:49:44 GMT"), 7),
            (.status(503).header("retry-after", "60"), nil),
            // Any other status is final, and so is a redirect that names no location.
            (.status(205), nil), (created, nil), (.status(301), nil), (.status(307), nil),
            (.status(400), nil), (.status(401), nil), (.status(501), nil),
            (.status(404).header("Retry-After", "7"), nil),
            (.text("a", headers: ["Content-Type": "text/html"]), nil),
            (Self.lost, 1), (.error(.cannotConnectToHost), 1), (.error(.timedOut), 1),
            (.error(.serverCertificateUntrusted), nil), (.error(.httpTooManyRedirects), nil),
            (.error(.cancelled), nil), (.error(.badURL), nil),
        ]
        for (response, delay) in rows {
            let (delays, fails) = await connections([response])
            #expect(delays == (delay.map { [.seconds($0)] } ?? []), "\(response)")
            #expect(fails == (delay == nil), "\(response)")
        }
        #expect(await connections([.status(204)]) == ([], false))
    }

    @Test func sendsOnlyAGetAgain() async {
        let all = RetryPolicy(deadline: nil, methods: ["POST", "HEAD", "PUT"])
        let requests = ["POST", "HEAD", "PUT"].map { URLRequest.test("events", method: $0) }
        var keyed = requests[0]
        keyed.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        var body = Self.request
        body.httpBodyStream = InputStream(data: Data("a".utf8))
        let ends = [
            (events(""), false), (.status(204), false), (.status(503), true), (Self.lost, true),
        ]
        for request in requests + [keyed, body] {
            for (response, fails) in ends {
                let outcome = await connections([response], request, policy: all)
                #expect(outcome == ([], fails), "\(request.httpMethod ?? "") \(response)")
            }
        }
        for method in ["GET", "get"] {
            let request = URLRequest.test("events", method: method)
            let (delays, _) = await connections([events("")], request, policy: all)
            #expect(delays.count == 1, "\(method)")
        }
    }

    @Test(
        arguments: [
            ("", 1, [1_000, 2_000, 4_000, 8_000, 10_000]), ("", 0, [100, 100, 100, 100, 100]),
            // The server's value is a lower bound, even above the policy's maximum.
            ("retry: 3000\n\n", 1, [4_000, 5_000, 7_000, 11_000, 13_000]),
            ("retry: 3000\n\n", 0.5, [3_500, 4_000, 5_000, 7_000, 8_000]),
            ("retry: 3000\n\n", 0, [3_000, 3_000, 3_000, 3_000, 3_000]),
            ("retry: 60000\n\n", 0, [60_000, 60_000, 60_000, 60_000, 60_000]),
            // A server that asks for a short delay need not wait for the policy's.
            ("retry: 400\n\n", 1, [800, 1_200, 2_000, 3_600, 6_800]),
            ("retry: 0\n\n", 1, [100, 100, 100, 100, 100]),
        ] as [(String, Double, [Int])])
    func waitsLongerAfterEachConnectionWithoutAnEvent(
        _ text: String, _ random: Double, _ expected: [Int]
    ) async {
        let lost = events(text + ": ping").failing(afterBytes: text.utf8.count + 1)
        for response in [events(text), lost] {
            // Each connection is accepted, so more than the policy's four attempts are made.
            let responses = Array(repeating: response, count: 5)
            let outcome = await connections(responses, random: random)
            #expect(outcome == (expected.map { .milliseconds($0) }, false), "\(response)")
        }
    }

    @Test func countsOnlyConnectionsThatAreNotAccepted() async {
        let (quiet, event, lost) = (events(": ping\n\n"), events("data: a\n\n"), Self.lost)
        let rows: [([MockResponse], [Double], fails: Bool)] = [
            ([lost, lost, lost, lost], [1, 2, 4], true),
            (Array(repeating: .status(503), count: 4), [1, 2, 4], true),
            ([lost, lost, lost, quiet], [1, 2, 4, 8], false),
            ([quiet, quiet, quiet, quiet, lost], [1, 2, 4, 8, 10], false),
            ([quiet, lost, lost, lost, lost], [1, 2, 4, 8], true),
            ([lost, lost, event, lost, lost, lost], [1, 2, 1, 2, 4, 8], false),
            ([event, quiet, quiet, event, event, quiet], [1, 2, 4, 1, 1, 2], false),
        ]
        for (responses, delays, fails) in rows {
            let outcome = await connections(responses)
            #expect(outcome == (delays.map { .seconds($0) }, fails), "\(responses)")
        }
    }

    /// Returns the delays after three quiet connections, each of which lasts for a time, and one
    /// that is closed immediately.
    @Test(arguments: [(9, [1, 2, 4, 8]), (10, [1, 1, 1, 2])])
    func aConnectionThatLastedResetsTheDelay(_ lasting: Int, _ expected: [Int]) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let quiet = events(": a\n\n", ": b\n\n", every: .seconds(lasting))
        network.stub(.any, quiet, quiet, quiet, events(""), .status(204))
        let delays = Locked<[Duration]>([])
        async let outcome = network.events(
            Self.request, reconnecting: policy,
            willReconnect: { delay, _ in delays.withLock { $0.append(delay) } }, clock: clock,
            random: { 1 }
        ).outcome()

        for _ in 0..<7 {
            await clock.waitForSleepers()
            await clock.advanceToNextSleeper()
        }
        #expect(await outcome.error == nil)
        #expect(delays.withLock { $0 } == expected.map { .seconds($0) })
    }

    @Test(arguments: [events(": ping\n\n"), lost, .status(503)])
    func reconnectsWithoutALimitByDefault(_ response: MockResponse) async {
        let responses = Array(repeating: response, count: 100)
        let (delays, fails) = await connections(responses, policy: .eventStream)
        #expect(delays.count == 100)
        #expect(delays.max() == .seconds(30))
        #expect(!fails)
    }

    @Test(
        arguments: [
            (lost, 3.1, [1, 2]), (lost, 3, [1]), (lost, 1, []),
            (events("retry: 3000\n\n"), 4.1, [4]), (events("retry: 3000\n\n"), 4, []),
        ] as [(MockResponse, Double, [Double])])
    func endsBeforeTheDeadline(
        _ response: MockResponse, _ deadline: Double, _ delays: [Double]
    ) async {
        let clock = MockClock()
        network.stub(.any, response)
        var policy = policy
        policy.deadline = .seconds(deadline)
        let stream = network.events(Self.request, reconnecting: policy, clock: clock, random: { 1 })
        async let error = stream.outcome().error

        for delay in delays {
            await clock.waitForSleepers()
            #expect(clock.pending == [.seconds(delay)])
            await clock.advance(by: .seconds(delay))
        }

        #expect(await error != nil)
        #expect(network.requests.count == delays.count + 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func sendsNothingWhereThereIsNoTime(_ deadline: Duration) async {
        let stream = network.events(Self.request, reconnecting: RetryPolicy(deadline: deadline))
        #expect((await stream.outcome().error?.underlying as? URLError)?.code == .timedOut)
        #expect(network.requests.isEmpty)
    }

    @Test func asksThePolicyWhetherItReconnects() async {
        // After a complete body, the client connects again under every other policy.
        let none = RetryPolicy(deadline: nil, statuses: [], errorCodes: [])
        for (policy, count) in [(RetryPolicy.never, 0), (none, 1)] {
            for text in ["", "data: a\n\n"] {
                let (delays, fails) = await connections([events(text)], policy: policy)
                #expect((delays.count, fails) == (count, false))
            }
            for response in [.error(.timedOut), .status(503)] as [MockResponse] {
                #expect(await connections([response], policy: policy) == ([], true))
            }
        }
    }

    @Test(arguments: ["7", "a b", "é…", "{\"n\": 1}"])
    func sendsTheLastEventID(_ id: String) async {
        network.stub(.any, events("id: \(id)\n\n"), .status(204))
        let stream = network.events(Self.request, reconnecting: policy, clock: ImmediateClock())
        #expect(await stream.outcome().error == nil)
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, id])
        for request in network.requests {
            #expect(request.header("Accept") == "text/event-stream")
            #expect(request.header("Cache-Control") == "no-cache")
            #expect(request.request.cachePolicy == .reloadIgnoringLocalCacheData)
        }
    }

    @Test func keepsTheHeadersOfTheRequest() async {
        network.stub(.any, events("id: 4\n\n"), .status(204))
        var request = Self.request
        request.allHTTPHeaderFields = [
            "accept": "application/json", "cache-control": "a", "X-A": "b", "Last-Event-ID": "3",
        ]
        request.cachePolicy = .returnCacheDataElseLoad
        _ = await network.events(request, reconnecting: policy, clock: ImmediateClock()).outcome()
        #expect(network.requests.first?.request == request)
        #expect(network.requests.map { $0.header("Last-Event-ID") } == ["3", "4"])
        #expect(network.requests.map { $0.header("X-A") } == ["b", "b"])
    }

    private struct Refusal: Error, Equatable { var text: String }

    private let network = MockNetwork()

    /// The data of all events. A 204 is accepted, and a 503 refused with an error of the app.
    private func all(clock: any Clock<Duration> = ImmediateClock()) async throws -> [String] {
        try await network.events(
            .test("news/a"), reconnecting: .attempts(3), name: "NewsRequest",
            validate: { data, response in
                guard 200..<300 ~= response.statusCode else { throw Refusal(text: data.text) }
            }, clock: clock
        ).all().map(\.data)
    }

    @Test func validatesEachConnection() async throws {
        network.stub(
            .get("/news/a"), events("id: 1\ndata: a\n\n"), .status(503),
            events("id: 2\ndata: b\n\n"), .status(204))
        #expect(try await all() == ["a", "b"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "1", "2"])
    }

    @Test func throwsTheErrorOfTheRequest() async throws {
        network.stub(.get("/news/a"), .text("go away", status: 403))
        // A clock that moves by itself could end the reading of the body.
        let error = await #expect(throws: APIRequestError.self) {
            try await all(clock: MockClock())
        }
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? Refusal == Refusal(text: "go away"))
        #expect("\(error!)".hasPrefix("NewsRequest: GET https://api.example.com/news/a got"))
    }
}
