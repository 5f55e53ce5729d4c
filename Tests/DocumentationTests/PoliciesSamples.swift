import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Waits for a result that is not ready: 202 with `Retry-After`.
@Sendable func untilReady(_ attempt: RetryAttempt) -> RetryDecision {
    guard attempt.response?.statusCode == 202, let delay = attempt.retryAfter
    else { return attempt.decision }
    return .retry(after: delay)
}

/// The samples of Policies.md.
@Suite(.limited, .usesSockets) struct PoliciesSamples {
    typealias User = TestingSamples.User
    typealias UserRequest = TestingSamples.UserRequest

    let baseURL = URL(string: "https://api.example.com")!

    func appSession<A>(
        _ tokens: Credentials<A>, _ log: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> any HTTPSession {
        URLSession.shared
            .timingOut(after: .seconds(30))
            .limited(to: 6)
            .coalescing()
            .authenticated(by: tokens)
            .retrying(.standard)
            .observed(by: log)
    }

    @Test func theChainOfThePageSendsNothingInACancelledTask() async {
        let lines = Locked<[String]>([])
        let session = appSession(.bearer("token", for: baseURL)) { event in
            lines.withLock { $0.append("\(event)") }
        }
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
        network.stub(
            .get("/users/{id}").header("API-Version", "2"), .json(#"{"name": "Emma"}"#))
        let session = network.intercepting { request, next in
            try await next(request.header("API-Version", "2"))
        }

        let user = try await session.load(UserRequest(), 42)

        #expect(user.name == "Emma")
    }

    @Test func aRuleIsAFunction() throws {
        let request = URLRequest(url: baseURL)
        let accepted = HTTPURLResponse.status(202, headers: ["Retry-After": "7"])

        #expect(
            untilReady(RetryAttempt(of: request, response: accepted))
                == .retry(after: .seconds(7)))
        #expect(
            untilReady(RetryAttempt(of: request, response: .status(202))) == .finish)
    }

    @Test func aSessionUsesARule() async throws {
        let network = MockNetwork()
        network.stub(
            .any, .status(202).header("Retry-After", "0"), .json(#"{"name": "Emma"}"#))

        let session = network.retrying(clock: MockClock(), deciding: untilReady)

        #expect(try await session.load(UserRequest(), 42).name == "Emma")
    }

    @Test func sharesOneCount() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("Emma"))
        let messages = Locked<[String]>([])

        let transport = network.observed(clock: MockClock()) { event in
            messages.withLock { $0.append("\(event)") }
        }
        let users = transport.retrying()
        let images = transport.limited(to: 4)

        let request = try UserRequest().makeRequest(from: 42)
        _ = try await users.exchange(request)
        _ = try await images.exchange(request)
        let lines = messages.withLock { $0 }
        #expect(lines.map { $0.prefix(2) } == ["#1", "#1", "#2", "#2"])
        try expectPage("Policies.md", toShow: lines.prefix(2).joined(separator: "\n"))
    }

    @Test func logsAttemptsAndLoads() async throws {
        let network = MockNetwork()
        let unavailable = MockResponse.status(503).header("Retry-After", "0")
        network.stub(.any, unavailable, .text("secret", status: 404))
        let lines = Locked<[String]>([])
        let transport: any HTTPSession = network
        let log: @Sendable (ExchangeEvent) -> Void = { event in
            if case .rejected = event.kind { return }
            lines.withLock { $0.append("\(event)") }
        }

        let session =
            transport
            .observed(by: log)  // each attempt and each refresh
            .retrying()
            .observed(by: log)  // each call

        _ = try? await session.load(UserRequest(), 42)
        #expect(lines.withLock { $0.count } == 6)
        #expect(lines.withLock { !$0.contains { $0.contains("secret") } })
    }
}
