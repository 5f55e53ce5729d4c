import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct ObservingTests {
    private let network = MockNetwork()

    private func line(_ path: String) -> String { "GET https://api.example.com/\(path)" }

    /// A request whose response cannot be parsed.
    private struct Refusing: APIRequest {
        func makeRequest(from path: String) throws -> URLRequest { .test(path) }
        func parseResponse(data: Data) throws -> String { throw TestError(number: 7) }
    }

    @Test(arguments: [true, false])
    func knowsTheTypeOfTheRequestAndTheResponse(_ isPlain: Bool) async throws {
        network.stub(.any, .text("a").header("X-Rate-Limit", "7"))
        let log = EventLog()
        let session = network.urlSession.limited(to: 1).observed(by: log)
            .retrying(clock: MockClock())

        if isPlain {
            _ = try await session.exchange(.test("a"))
        } else {
            _ = try await session.load(TextRequest(), "/a")
        }

        let type = isPlain ? nil : "TextRequest"
        #expect(log.events.map(\.requestType) == [type, type])
        #expect(log.events.last?.response?.value(forHTTPHeaderField: "X-Rate-Limit") == "7")
        #expect(log.events.map { $0.duration == nil } == [true, false])
        #expect(log.events.allSatisfy { !"\($0)".contains("X-Rate-Limit") })
    }

    @Test func measuresOnItsClock() async throws {
        let clock = MockClock()
        let log = EventLog(clock: clock)
        let session = MockURLSession().intercepting { request, _ in
            try await clock.sleep(for: .milliseconds(30))
            if request.url?.path == "/b" { throw TestError(number: 7) }
            return try makeResponse(to: request, "value")
        }.observed(by: log)

        for path in ["a", "b"] {
            async let task = session.outcome(of: .test(path), asStream: path == "b")
            await clock.waitForSleepers()
            await clock.advance(by: .milliseconds(30))
            _ = await task
        }

        #expect(
            log.lines == [
                "#1 \(line("a"))", "#1 \(line("a")): 200 (OK), 5 bytes, 0.030 s",
                "#2 \(line("b"))", "#2 \(line("b")): TestSupport.TestError(number: 7), 0.030 s",
            ])
    }

    @Test func seesEachAttemptInsideRetryAndTheWholeOutside() async throws {
        let (inside, outside) = (EventLog(), EventLog())
        network.stub(.any, .error(.timedOut), .status(503), .text("third"))
        let session = network.observed(by: inside).retrying(clock: MockClock(), random: { 0 })
            .observed(by: outside)

        _ = try await session.exchange(.test("a"))
        let line = line("a")
        #expect(
            inside.lines == [
                "#1 \(line)", "#1 \(line): The request timed out. (URLError -1001), 0.000 s",
                "#2 \(line)", "#2 \(line): 503 (Service Unavailable), 0 bytes, 0.000 s",
                "#3 \(line)", "#3 \(line): 200 (OK), 5 bytes, 0.000 s",
            ])
        #expect(outside.lines == ["#1 \(line)", "#1 \(line): 200 (OK), 5 bytes, 0.000 s"])
    }

    @Test func eachObserverHearsOfARequestThatIsSentAgain() async throws {
        let resending = ClosureSession(exchange: { request, options in
            options.context.didResend?()
            return try makeResponse(to: request)
        })
        let (inside, outside) = (EventLog(), EventLog())
        let session = resending.observed(by: inside).limited(to: 1).observed(by: outside)
        _ = try await session.exchange(.test("a"))

        for log in [inside, outside] {
            #expect(log.lines.dropFirst().first == "#1 \(line("a")): sent again, 0.000 s")
            #expect(log.lines.count == 3)
        }
    }

    @Test func hearsOfARejectedLoadWhereverItIs() async throws {
        let (inside, outside) = (EventLog(), EventLog())
        network.stub(.get("/a"), .text("value"))
        network.stub(.get("/missing"), .status(404))
        network.stub(.get("/error"), .error(.badURL))
        let session = OptionsSession(next: network.observed(by: inside))
            .timingOut(after: .seconds(30), clock: MockClock()).limited(to: 1).coalescing()
            .authenticated(by: .bearer("token")).retrying(clock: MockClock())
            .intercepting { try await $1($0) }.observed(by: outside)

        var errors: [APIRequestError] = []
        for path in ["a", "missing", "error"] {
            let error = await #expect(throws: APIRequestError.self) {
                try await session.load(Refusing(), path)
            }
            errors.append(try #require(error))
        }

        #expect(errors.map(\.stage) == [.parse, .validate, .transport])
        for log in [inside, outside] {
            #expect(
                log.lines == [
                    "#1 \(line("a"))", "#1 \(line("a")): 200 (OK), 5 bytes, 0.000 s",
                    ExchangeEvent(rejected: errors[0], id: 1).description, "#2 \(line("missing"))",
                    "#2 \(line("missing")): 404 (Not Found), 0 bytes, 0.000 s",
                    ExchangeEvent(rejected: errors[1], id: 2).description, "#3 \(line("error"))",
                    "#3 \(line("error")): The server's address cannot be used. "
                        + "(URLError -1000), 0.000 s",
                ])
        }
    }

    /// An observer below a session that returns a body of its own has not seen the rejected one.
    @Test(arguments: [true, false])
    func hearsOnlyOfResponsesThatItSaw(_ isReplaced: Bool) async throws {
        let (inside, outside) = (EventLog(), EventLog())
        network.stub(.get("/a"), .text("a"))
        let session = network.observed(by: inside)
            .intercepting { request, next in
                let (body, response) = try await next(request)
                return (isReplaced ? HTTPBody(Data("b".utf8)) : body, response)
            }
            .observed(by: outside)

        await #expect(throws: APIRequestError.self) {
            try await session.load(.test("a"), as: Int.self)
        }

        #expect(inside.lines.count == (isReplaced ? 2 : 3))
        #expect(outside.lines.count == 3)
    }

    /// The exchange whose response was rejected, whatever is between the observer and the load.
    @Test func knowsWhichExchangeWasRejected() async throws {
        let log = EventLog()
        let stub = network.stub(.get("/a"), .text("a").held, .status(503), .status(404))
        let session = network.observed(by: log).intercepting { request, next in
            let (body, response) = try await next(request)
            return (body.map { $0 + Data("!".utf8) }, response)
        }.coalescing().retrying(clock: MockClock(), random: { 0 })

        let loads = await settledTasks(2) { _ in try await session.load(Refusing(), "a") }
        stub.release()
        for load in loads { await #expect(throws: APIRequestError.self) { try await load.value } }
        _ = try? await session.load(Refusing(), "a")

        let rejected = log.events.filter { if case .rejected = $0.kind { true } else { false } }
        #expect(rejected.map(\.id) == [1, 1, 3])
    }
}
