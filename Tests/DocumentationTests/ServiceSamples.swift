import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What a service knows about the call that it works on.
private enum Call {
    @TaskLocal static var requestID: String?
    @TaskLocal static var deadline: ContinuousClock.Instant?
}

private struct DeadlineSession: SessionPolicy {
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

private struct HostLimitsSession: SessionPolicy {
    let next: any HTTPSession
    let limits: [String: RequestLimit]

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        guard let host = request.url?.host(), let limit = limits[host] else {
            return try await next.send(request, awaiting: options)
        }
        return try await next.limited(by: limit).send(request, awaiting: options)
    }
}

extension HTTPSession {
    /// Sends a second GET if the first one has no answer after `delay`; the first answer wins.
    fileprivate func hedged(
        after delay: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> some HTTPSession {
        intercepting { request, next in
            guard request.httpMethod == "GET" else { return try await next(request) }
            return try await withThrowingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask { try await next(request) }
                group.addTask {
                    try await clock.sleep(for: delay)
                    return try await next(request)
                }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
    }
}

private struct CircuitOpen: Error {}

/// After five failures in a row, fails for 30 seconds without sending.
private actor Breaker {
    private var failures = 0
    private var openUntil = Date.distantPast

    func check(at now: Date) throws { if now < openUntil { throw CircuitOpen() } }

    func record(success: Bool, at now: Date) {
        failures = success ? 0 : failures + 1
        if failures >= 5 { openUntil = now + 30 }
    }
}

extension HTTPSession {
    fileprivate func breaking(
        _ breaker: Breaker, now: @escaping @Sendable () -> Date = { Date() }
    ) -> some HTTPSession {
        intercepting { request, next in
            try await breaker.check(at: now())
            do {
                let (body, response) = try await next(request)
                await breaker.record(success: response.statusCode < 500, at: now())
                return (body, response)
            } catch {
                if !Task.isCancelled { await breaker.record(success: false, at: now()) }
                throw error
            }
        }
    }
}

/// The time from which a server accepts requests again.
private actor RateGate {
    private var opens = Date.distantPast

    func delay(at now: Date) -> Duration? {
        opens > now ? .seconds(opens.timeIntervalSince(now)) : nil
    }

    func read(_ response: HTTPURLResponse) {
        guard response.value(forHTTPHeaderField: "X-RateLimit-Remaining") == "0",
            let reset = response.value(forHTTPHeaderField: "X-RateLimit-Reset").flatMap(Double.init)
        else { return }
        opens = Date(timeIntervalSince1970: reset)
    }
}

extension HTTPSession {
    fileprivate func gated(
        by gate: RateGate, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> some HTTPSession {
        intercepting { request, next in
            if let delay = await gate.delay(at: now()) { try await clock.sleep(for: delay) }
            let (body, response) = try await next(request)
            await gate.read(response)
            return (body, response)
        }
    }
}

private struct Trace: Sendable {
    @TaskLocal static var current: Trace?

    let id: String  // 32 hexadecimal digits

    /// The header of W3C Trace Context, with a new span.
    func header() -> String {
        let span = String(UInt64.random(in: 1 ... .max), radix: 16)
        return "00-\(id)-\(String(repeating: "0", count: 16 - span.count))\(span)-01"
    }
}

/// Waits for the work of a service, and cancels it after `grace`.
private func drain(
    _ work: Task<Void, Never>, grace: Duration, clock: any Clock<Duration> = ContinuousClock()
) async {
    let limit = Task {
        try await clock.sleep(for: grace)
        work.cancel()
    }
    await work.value
    limit.cancel()
}

/// The samples of Service.md.
@Suite(.limited) struct ServiceSamples {
    private let network = MockNetwork()
    private var transport: MockNetwork { network }
    private let request = URLRequest(url: URL(string: "https://api.example.com/users")!)

    @Test func sendsTheIDOfTheCall() async throws {
        let transport = transport
        network.stub(.get("/users"), .json("[]"))
        let request = request

        let session = transport.intercepting { request, next in
            try await next(request.header("X-Request-ID", Call.requestID))
        }

        let users = try await Call.$requestID.withValue("r-7") {
            try await session.load(request, as: [String].self)
        }
        #expect(users.isEmpty)
        #expect(network.requests.map { $0.header("X-Request-ID") } == ["r-7"])
    }

    @Test func itsContextReachesPoliciesAndStreams() async throws {
        let names = Locked<[String?]>([])
        network.stub(.get("/users"), .status(503), .events(["a"]))
        let session = transport.observed { _ in names.withLock { $0.append(Call.requestID) } }
            .retrying(
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
        network.stub(.get("/users"), .json("[]"))
        let session = DeadlineSession(next: transport.retrying())
        _ = try await session.exchange(request)

        try await Call.$deadline.withValue(.now + .seconds(3_600)) {
            _ = try await session.exchange(request)
        }
        await Call.$deadline.withValue(.now) {
            await #expect(throws: URLError(.timedOut)) { try await session.exchange(request) }
        }

        #expect(network.requests.count == 2)
    }

    @Test func limitsEachHost() async throws {
        let stub = network.stub(.get("/users"), .json("[]").held)
        let transport = transport
        let session = HostLimitsSession(
            next: transport,
            limits: ["api.example.com": RequestLimit(4), "models.example.com": RequestLimit(2)])
        let request = request
        let other = URLRequest(url: URL(string: "https://b.example.com/users")!)

        let loads = (0..<6).map { _ in Task { try await session.exchange(request) } }
        await stub.waitForRequests(4)
        async let load = session.exchange(other)
        await stub.waitForRequests(5)
        #expect(network.requests.filter { $0.url?.host() == "api.example.com" }.count == 4)
        stub.release()

        for load in loads { _ = try await load.value }
        _ = try await load
    }

    @Test func sendsASecondRequestIfTheFirstIsSlow() async throws {
        let clock = MockClock()
        let stub = network.stub(.get("/users"), .hanging, .text("Emma"))
        let session = transport.hedged(after: .milliseconds(200), clock: clock)
        let request = request

        async let answer = session.exchange(request).0.text
        await stub.waitForRequests()
        await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(200))

        #expect(try await answer == "Emma")
        let requests = await network.waitForResponses(2)
        #expect(requests.map(\.wasCancelled) == [true, false])
    }

    @Test func fallsSilentAfterFiveFailures() async throws {
        let now = Locked(Date(timeIntervalSince1970: 0))
        network.stub(.get("/users"), .status(500), times: .exactly(5))
        let session = transport.breaking(Breaker(), now: { now.withLock { $0 } })

        for _ in 0..<5 { _ = try await session.exchange(request) }
        await #expect(throws: CircuitOpen.self) { try await session.exchange(request) }
        network.stub(.get("/users"), .text("Emma"))
        now.withLock { $0 += 30 }

        #expect(try await session.exchange(request).0.text == "Emma")
        #expect(network.requests.count == 6)
    }

    @Test func waitsUntilTheServerAcceptsRequests() async throws {
        let clock = MockClock()
        network.stub(
            .get("/users"),
            .status(
                204, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000"]),
            .text("Emma"))
        let session = transport.gated(
            by: RateGate(), clock: clock, now: { Date(timeIntervalSince1970: 940) })
        let request = request
        _ = try await session.exchange(request)

        async let answer = session.exchange(request).0.text
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(60)])
        await clock.advance(by: .seconds(60))

        #expect(try await answer == "Emma")
    }

    @Test func sendsATrace() async throws {
        network.stub(.get("/users"), .status(503), .json("[]"))
        let transport = transport

        let traced = transport.intercepting { request, next in
            try await next(request.header("traceparent", Trace.current?.header()))
        }
        let session = traced.retrying(random: { 0 })

        let id = String(repeating: "a", count: 32)
        _ = try await Trace.$current.withValue(Trace(id: id)) {
            try await session.exchange(request)
        }
        let headers = network.requests.compactMap { $0.header("traceparent") }
        #expect(headers.allSatisfy { $0.hasPrefix("00-\(id)-") && $0.count == 55 })
        #expect(Set(headers).count == 2)
    }

    @Test func cancelsWhatIsLeftAfterTheGrace() async throws {
        let clock = MockClock()
        network.stub(.get("/users"), .hanging)
        let (transport, request) = (transport, request)
        let work = Task { _ = try? await transport.exchange(request) }
        await network.waitForRequests()

        async let end: Void = drain(work, grace: .seconds(5), clock: clock)
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(5))
        await end

        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func countsByRouteAndStatus() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"name": "Emma"}"#), .status(503))
        let counts = Locked<[String: [Duration]]>([:])

        let session = network.observed(clock: MockClock()) { event in
            guard let response = event.response, let duration = event.duration else { return }
            let route = event.requestType ?? "other"
            counts.withLock { $0["\(route) \(response.statusCode)", default: []].append(duration) }
        }

        _ = try? await session.load(TestingSamples.UserRequest(), 42)
        _ = try? await session.exchange(request)
        #expect(counts.withLock { $0 } == ["UserRequest 200": [.zero], "other 503": [.zero]])
    }
}
