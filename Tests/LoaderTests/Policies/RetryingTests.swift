import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct RetryingTests {
    private let clock = MockClock()
    private let network = MockNetwork()

    @Test(arguments: Transport.allCases)
    func waitsOnItsClockAndSendsAgain(_ transport: Transport) async throws {
        network.stub(.get("/a"), .error(.networkConnectionLost), .status(503), .text("third"))
        let client = try TestClient(transport, network)
        let policy = RetryPolicy(deadline: nil)
        let session = client.session.retrying(policy, clock: clock, random: { 0.5 })
        async let load = session.load(TextRequest(baseURL: client.baseURL), "/a")

        for (count, delay) in [Duration.milliseconds(250), .milliseconds(500)].enumerated() {
            await clock.waitForSleepers()
            #expect(clock.pending == [delay])
            #expect(network.requests.count == count + 1)
            await clock.advance(by: delay)
        }
        #expect(try await load == "third")
        #expect(network.requests.count == 3)
    }

    @Test func throwsTheLastErrorAsItWas() async throws {
        let attempts = Locked(0)
        let session = MockURLSession().intercepting { _, _ in
            throw URLError(.timedOut, userInfo: ["attempt": attempts.next()])
        }.retrying(clock: clock, random: { 0 })

        let error = await #expect(throws: URLError.self) { try await session.exchange(.test("a")) }
        #expect(error?.userInfo["attempt"] as? Int == 3)
    }

    /// A refused stream would keep its place in a limit during the delay.
    @Test func endsARefusedStreamBeforeItsDelay() async throws {
        let clock = MockClock(patience: .zero)
        network.stub(.any, .chunks(["a", "b"], every: .seconds(99), status: 503), .text("second"))
        let (log, policy) = (EventLog(), RetryPolicy(deadline: nil))
        let session = network.observed(by: log).retrying(policy, clock: clock, random: { 1 })
        async let stream = session.stream(.test("a"))

        await clock.waitForSleepers()
        let request = "#1 GET https://api.example.com/a"
        #expect(log.lines.last == "\(request): left by the reader after 0 bytes, 0.000 s")
        await clock.advance(by: .seconds(1))
        #expect(try await stream.1.statusCode == 200)
    }

    @Test func measuresAnHTTPDateFromItsNow() async throws {
        let clock = MockClock(patience: .zero)
        network.stub(
            .any, .status(503).header("Retry-After", "Sun, 06 Nov 1994 08:49:47 GMT"), .text("a"))
        let now = Date(timeIntervalSince1970: 784_111_777)
        let session = network.retrying(clock: clock, now: { now })
        async let outcome = session.outcome(of: .test("a"))
        await clock.waitForSleepers()
        #expect(clock.pending.first == .seconds(10))
        await clock.advance(by: .seconds(60))

        #expect(await outcome == .body("a"))
    }

    @Test(arguments: [nil, Duration.seconds(60)], [false, true])
    func aCancelledAttemptIsNotTriedAgain(_ deadline: Duration?, hasRule: Bool) async throws {
        let (arrivals, arrived) = (Locked(0), Gate())
        let lost = MockURLSession().intercepting { _, _ in
            arrivals.next()
            arrived.open()
            _ = try? await waitForCancellation()
            // The connection breaks in the same moment.
            throw URLError(.networkConnectionLost)
        }
        let policy = RetryPolicy(deadline: deadline)
        let session: any HTTPSession =
            hasRule
            ? lost.retrying(policy, clock: MockClock()) { _ in
                Issue.record("The rule is not asked.")
                return .retry(after: .zero)
            } : lost.retrying(policy, clock: MockClock(), random: { 0 })
        let task = Task { await session.outcome(of: .test("a")) }
        await arrived.wait()

        task.cancel()
        #expect(await task.value == .error(.networkConnectionLost))
        #expect(arrivals.withLock { $0 } == 1)
    }

    @Test func sendsNothingWhereTheDeadlinePassedInAWait() async throws {
        try await concurrently(100) { _ in
            let network = MockNetwork()
            network.stub(.any, .status(503))
            // It wakes an hour late, like a machine that was asleep.
            let clock = ImmediateClock(lateness: .seconds(3_600))
            let session = network.retrying(clock: clock, random: { 1 })

            #expect(await session.outcome(of: .test("a")) == .error(.timedOut))
            #expect(network.requests.count == 1)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func sendsNothingWhereThereIsNoTime(_ deadline: Duration) async throws {
        let session = network.retrying(RetryPolicy(deadline: deadline))
        #expect(await session.outcome(of: .test("a")) == .error(.timedOut))
        #expect(network.requests.isEmpty)
    }

    @Test func givesEachAttemptItsTimeInsideAndTheWholeOutside() async throws {
        let (clock, arrivals) = (MockClock(patience: .zero), Recorder<Duration>())
        let hanging = MockURLSession().intercepting { _, _ in
            arrivals.append(clock.now.offset)
            _ = try await waitForCancellation()
            throw TestError()
        }
        let session = hanging.timingOut(after: .seconds(4), clock: clock)
            .retrying(RetryPolicy(deadline: nil), clock: clock, random: { 0 })
            .timingOut(after: .seconds(10), clock: clock)
        async let task = session.outcome(of: .test("a"))

        for moment in [0, 4, 8] {
            _ = await arrivals.events { $0 == .seconds(moment) }
            await clock.advance(by: .seconds(moment == 8 ? 2 : 4))
        }
        #expect(await task == .error(.timedOut))
        #expect(clock.now.offset == .seconds(10))
    }
}

/// Rules of an app, which decide in place of a retry policy.
@Suite(.limited) struct RetryRuleTests {
    private let network = MockNetwork()

    typealias Rule = @Sendable (RetryAttempt) -> RetryDecision

    private func session(
        policy: RetryPolicy = .standard, _ rule: @escaping Rule
    ) -> some HTTPSession {
        network.retrying(policy, clock: ImmediateClock(), deciding: rule, random: { 1 })
    }

    private static let rules: [(Rule, [MockResponse], sent: Int)] = [
        // What the policy decides.
        ({ $0.decision }, [.status(503), .status(200)], 2),
        ({ $0.decision }, [.status(202).header("Retry-After", "1"), .status(200)], 1),
        // 202 only with Retry-After.
        (retryingAccepted, [.status(202).header("Retry-After", "1"), .status(200)], 2),
        (retryingAccepted, [.status(202), .status(200)], 1),
        (retryingAccepted, [.status(503), .status(200)], 2),
        // A 2xx whose body is no JSON.
        (retryingText, [.text("busy"), .json("{}")], 2),
        (retryingText, [.json("{}"), .status(200)], 1),
        // 429 with a count of its own, and no other status.
        (retryingTooMany, Array(repeating: .status(429), count: 7), 6),
        // An endpoint that is never sent again.
        ({ $0.request.url?.path == "/a" ? .finish : $0.decision }, [.status(503)], 1),
        // Errors of any type, and a delay below zero.
        (retryingErrors, [.error(TestError(number: 1)), .error(.badURL), .status(200)], 3),
    ]

    private static let retryingAccepted: Rule = { attempt in
        guard attempt.response?.statusCode == 202, let delay = attempt.retryAfter
        else { return attempt.decision }
        return .retry(after: delay)
    }

    private static let retryingText: Rule = { attempt in
        guard attempt.response?.statusCode == 200, let data = attempt.data,
            (try? JSONSerialization.jsonObject(with: data)) == nil
        else { return attempt.decision }
        return .retry(after: .zero)
    }

    private static let retryingTooMany: Rule = {
        $0.response?.statusCode == 429 && $0.number < 6
            ? .retry(after: $0.retryAfter ?? .seconds(5)) : .finish
    }

    private static let retryingErrors: Rule = {
        $0.error == nil ? .finish : .retry(after: .seconds(-1))
    }

    @Test(arguments: rules.indices) func decides(_ index: Int) async throws {
        let (rule, responses, count) = Self.rules[index]
        let replies = Locked(Array(responses.reversed()))
        network.stub(.get("/a")) { _ in replies.withLock { $0.popLast() ?? .status(200) } }

        _ = await session(rule).outcome(of: .test("a"))
        #expect(network.requests.count == count)
    }

    @Test func seesTheAttemptThatHasEnded() async throws {
        network.stub(.any, .status(503), .error(.timedOut), .text("body"))
        let attempts = Locked<[RetryAttempt]>([])
        let session = self.session { attempt in
            attempts.withLock { $0.append(attempt) }
            return attempt.decision
        }

        _ = try await session.exchange(.test("a"))
        let all = attempts.withLock { $0 }
        #expect(all.map(\.number) == [1, 2, 3])
        #expect(all.map(\.response?.statusCode) == [503, nil, 200])
        #expect(all.map(\.error).map { ($0 as? URLError)?.code } == [nil, .timedOut, nil])
        #expect(all.map(\.data?.text) == ["", nil, "body"])
        let delays = [0.5, 1].map { RetryDecision.retry(after: .seconds($0)) }
        #expect(all.map(\.decision) == delays + [.finish])
        #expect(all.allSatisfy { $0.request.url?.path == "/a" })
    }

    @Test func endsAtTheDeadline() async throws {
        network.stub(.any, .status(503), times: .any)
        let policy = RetryPolicy(deadline: .seconds(100))
        let session = self.session(policy: policy) { _ in .retry(after: .seconds(30)) }
        #expect(try await session.exchange(.test("a")).1.statusCode == 503)
        #expect(network.requests.count == 4)
    }

    @Test func neverSendsAStreamTwice() async throws {
        @Sendable func upload() -> URLRequest {
            var request = URLRequest.test("a", method: "PUT")
            request.httpBodyStream = InputStream(data: Data("body".utf8))
            return request
        }
        network.stub(.any, .status(503), times: .any)

        _ = try await session { _ in .retry(after: .zero) }.exchange(upload())
        #expect(network.requests.count == 1)
        let other = session { _ in .retry(after: .zero, with: upload()) }
        _ = try await other.exchange(.test("a"))
        #expect(network.requests.count == 2)
    }

    /// The policy itself would not repeat this method.
    @Test func waitsAsThePolicyWould() async throws {
        network.stub(.any, .status(409), times: .any)
        let (clock, randoms) = (ImmediateClock(), Locked([0.5, 0, 1, 0.25, 1]))
        let session = network.retrying(
            clock: clock,
            deciding: { $0.number < 5 ? .retry(after: $0.retryAfter ?? $0.backoff) : .finish },
            random: { randoms.withLock { $0.removeFirst() } })

        _ = try await session.exchange(.test("a", method: "POST", body: "{}"))
        #expect(network.requests.map(\.body.text) == Array(repeating: "{}", count: 5))
        // 0.5 × 0.5 s, 0 × 1 s, 1 × 2 s, and 0.25 × 4 s.
        #expect(clock.now.offset == .seconds(3.25))
    }

    @Test func decidesFromTheHeadersOfAStream() async throws {
        network.stub(.any, .status(202).header("Retry-After", "1"), .text("body"))
        let session = self.session(Self.retryingAccepted)

        #expect(await session.outcome(of: .test("a"), asStream: true) == .body("body"))
        #expect(network.requests.count == 2)
    }
}
