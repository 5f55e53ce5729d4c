import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Waits for a result that is not ready: 202 with `Retry-After`.
@Sendable func untilReady(_ attempt: RetryAttempt) -> RetryDecision {
    guard attempt.response?.statusCode == 202, let delay = attempt.retryAfter
    else { return attempt.decision }
    return .retry(after: delay)
}

/// The samples of Policies.md.
@Suite(.limited) struct PoliciesSamples {
    typealias User = TestingSamples.User
    typealias UserRequest = TestingSamples.UserRequest

    let baseURL = URL(string: "https://api.example.com")!

    private func appSession(
        _ print: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> any HTTPSession {
        let session = URLSession.shared
            .timingOut(after: .seconds(30))
            .retrying()
            .observed { event in print(event) }
        return session
    }

    @Test func theChainOfThePageSendsNothingInACancelledTask() async {
        let lines = Locked<[String]>([])
        let session = appSession { event in lines.withLock { $0.append("\(event)") } }
        let request = URLRequest(url: baseURL)

        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.exchange(request)
        }

        await #expect(throws: URLError(.cancelled)) { try await load.value }
        #expect(lines.withLock { $0.count } == 2)
    }

    @Test func sendsItsVersion() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}").header("API-Version", "2"), .json(#"{"name": "Emma"}"#))
        let session = network.intercepting { request, next in
            try await next(request.header("API-Version", "2"))
        }

        #expect(try await session.load(UserRequest(), 42).name == "Emma")
    }

    @Test func aSessionUsesARule() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(202).header("Retry-After", "0"), .json(#"{"name": "Emma"}"#))

        let session = network.retrying(clock: MockClock(), deciding: untilReady)

        #expect(try await session.load(UserRequest(), 42).name == "Emma")
    }

    @Test func timesOut() async throws {
        let network = MockNetwork()

        let clock = MockClock()
        network.stub(.get("/users/{id}"), .hanging)
        let session = network.timingOut(after: .seconds(30), clock: clock)

        async let error = #expect(throws: APIRequestError.self) {
            try await session.load(UserRequest(), 42)
        }
        await network.waitForRequests()
        await clock.advance(by: .seconds(30))

        #expect((await error?.underlying as? URLError)?.code == .timedOut)
    }

    @Test func retries() async throws {
        let network = MockNetwork()

        network.stub(.get("/users/{id}"), .status(503), .json(#"{"name": "Emma"}"#))
        let session = network.retrying(clock: MockClock(), random: { 0 })

        let user = try await session.load(UserRequest(), 42)

        #expect(user.name == "Emma")
        #expect(network.requests.count == 2)
    }

    @Test func logsAttemptsAndLoads() async throws {
        let (network, clock) = (MockNetwork(), MockClock())
        network.stub(.any, .status(503), .json(#"{"name": "Emma"}"#))
        let lines = Locked<[String]>([])
        @Sendable func print(_ line: String) { lines.withLock { $0.append(line) } }

        let session =
            network
            .observed(clock: clock) { print("  attempt \($0)") }
            .retrying(clock: clock, random: { 0 })
            .observed(clock: clock) { print("load \($0)") }
        _ = try await session.load(UserRequest(), 42)

        let log = lines.withLock { $0.joined(separator: "\n") }
        #expect(lines.withLock { $0.count } == 6)
        try expectPage("Policies.md", toShow: log)
    }
}
