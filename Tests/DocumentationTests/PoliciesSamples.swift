import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Policies.md that need no credential and no page.
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct PolicySamples {
    typealias User = TestingSamples.User
    typealias UserRequest = TestingSamples.UserRequest

    let baseURL = URL(string: "https://api.example.com")!

    func appSession<A>(_ tokens: Credentials<A>, _ log: ExchangeObserver) -> any HTTPSession {
        URLSession.shared
            .timingOut(after: .seconds(30))
            .limited(to: 6)
            .coalescing()
            .authenticated(by: tokens)
            .retrying(.standard)
            .observed(by: log)
    }

    @Test func canBeBuiltStepByStep() async throws {
        let isDebug = true
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        var session: any HTTPSession = MockURLSession(network).retrying()
        if isDebug { session = session.observed { print($0) } }

        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)
        let user = try await loader.load(42)
        #expect(user.name == "Emma")
        _ = appSession(.bearer("token", for: baseURL), ExchangeObserver { _ in })
    }

    @Test func sendsItsVersion() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}").header("API-Version", "2"), .json(#"{"name": "Emma"}"#))
        let session = MockURLSession(network).intercepting { request, next in
            var request = request
            request.setValue("2", forHTTPHeaderField: "API-Version")
            return try await next.exchange(request)
        }
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
    }

    @Test func waitsLongerEachTime() throws {
        let request = try UserRequest().makeRequest(from: 42)

        let waits = RetryPolicy.standard.schedule(
            for: [.response(status: 503), .failure(.timedOut)], of: request, random: 0.5)

        #expect(waits == [.milliseconds(250), .milliseconds(500)])
    }

    @Test func triesAgain() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(
            .get("/users/{id}"), .status(503).header("Retry-After", "7"),
            .json(#"{"name": "Emma"}"#))
        let session = MockURLSession(network).retrying(clock: clock)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        let load = Task { try await loader.load(42) }
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(7))

        let user = try await load.value
        #expect(user.name == "Emma")
        #expect(network.requests.count == 2)
    }

    @Test func givesUpAfterThirtySeconds() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let session = MockURLSession(network).timingOut(after: .seconds(30), clock: clock)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        let load = Task { try await loader.load(42) }
        await network.waitForRequests()
        await clock.advance(by: .seconds(30))

        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect((error?.underlying as? URLError)?.code == .timedOut)
    }

    @Test func loadsOneUserAtATime() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#).held)
        let session = MockURLSession(network).limited(to: 1)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        let loads = (1...3).map { id in Task { try await loader.load(id) } }
        await stub.started()
        #expect(network.requests.count == 1)
        stub.release()

        for load in loads { _ = try await load.value }
        #expect(network.mostInFlight == 1)
    }

    @Test func asksOnce() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#).held)
        let session = MockURLSession(network).coalescing()
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        async let first = loader.load(42)
        await stub.started()
        async let second = loader.load(42)
        stub.release()

        let users = try await [first, second]
        #expect(users.map(\.name) == ["Emma", "Emma"])
    }

    @Test func tellsEachAttempt() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .text("Emma"))
        let (stream, events) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let session = MockURLSession(network)
            .observed(clock: MockClock()) { events.yield($0) }
            .retrying(random: { 0 })
        let request = try UserRequest().makeRequest(from: 42)

        _ = try await session.exchange(request)

        events.finish()
        #expect(
            await stream.reduce(into: []) { $0.append($1) } == [
                .started(id: 1, request),
                .answered(id: 1, request, status: 503, bytes: 0, after: .zero),
                .started(id: 2, request),
                .answered(id: 2, request, status: 200, bytes: 4, after: .zero),
            ])
    }

    @Test func tellsALoadThatWasLost() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"nom": "Emma"}"#))
        let (stream, events) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let session = MockURLSession(network).observed { events.yield($0) }.retrying()
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        _ = try? await loader.load(42)

        events.finish()
        let last = await stream.reduce(nil) { $1 }
        guard case .rejected(let error) = last else {
            Issue.record("The last event is \(String(describing: last)).")
            return
        }
        #expect(error.stage == .parse)
    }
}
