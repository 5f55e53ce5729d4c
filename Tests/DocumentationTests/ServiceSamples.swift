import APIKitLite
import APIKitLiteTesting
import TestSupport

/// What a service knows about the call that it works on.
private enum Call {
    @TaskLocal static var requestID: String?
    @TaskLocal static var deadline: ContinuousClock.Instant?
}

private struct DeadlineSession: HTTPSession {
    let next: any HTTPSession

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        guard let deadline = Call.deadline else {
            return try await next.send(request, awaiting: options)
        }
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero else { throw URLError(.timedOut) }
        return try await next.timingOut(after: rest).send(request, awaiting: options)
    }
}

private typealias UserRequest = ClientSamples.UserRequest

/// The samples of Service.md.
@Suite(.limited) struct ServiceSamples {
    private let network = MockNetwork()
    private let request = URLRequest(url: URL(string: "https://api.example.com/users")!)

    @Test func sendsTheIDOfTheCall() async throws {
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        let session = network.intercepting { request, next in
            try await next(request.header("X-Request-ID", Call.requestID))
        }

        _ = try await Call.$requestID.withValue("r-7") {
            try await session.load(UserRequest(), 42)
        }
        #expect(network.requests.map { $0.header("X-Request-ID") } == ["r-7"])
    }

    @Test func itsContextReachesPoliciesAndStreams() async throws {
        let names = Locked<[String?]>([])
        network.stub(.get("/users"), .status(503), .events(["a"]))
        let session = network.observed { _ in names.withLock { $0.append(Call.requestID) } }
            .retrying(
                clock: MockClock(),
                deciding: { attempt in
                    names.withLock { $0.append(Call.requestID) }
                    return attempt.decision
                }, random: { 0 })

        try await Call.$requestID.withValue("r-7") {
            for try await _ in session.stream(request, ServerSentEvents()) { break }
        }

        #expect(names.withLock { $0.count } >= 4)
        #expect(names.withLock { $0.allSatisfy { $0 == "r-7" } })
    }

    @Test func sendsNothingAfterTheDeadline() async throws {
        let session = DeadlineSession(next: network.retrying())

        await Call.$deadline.withValue(.now) {
            await #expect(throws: APIRequestError.self) {
                try await session.load(UserRequest(), 42)
            }
        }
        #expect(network.requests.isEmpty)

        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        _ = try await session.load(UserRequest(), 42)
        try await Call.$deadline.withValue(.now + .seconds(3_600)) {
            _ = try await session.load(UserRequest(), 42)
        }
        #expect(network.requests.count == 2)
    }

    @Test func countsByRouteAndStatus() async throws {
        network.stub(.any, .json(#"{"name": "Emma"}"#), .status(503))
        let counts = Locked<[String: [Duration]]>([:])

        let session = network.observed(clock: MockClock()) { event in
            guard let response = event.response, let duration = event.duration else { return }
            let route = event.requestType ?? "other"
            counts.withLock { $0["\(route) \(response.statusCode)", default: []].append(duration) }
        }

        _ = try? await session.load(UserRequest(), 42)
        _ = try? await session.exchange(request)
        #expect(counts.withLock { $0 } == ["UserRequest 200": [.zero], "other 503": [.zero]])
    }
}
