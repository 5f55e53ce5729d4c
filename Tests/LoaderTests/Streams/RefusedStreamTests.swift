import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// A response that is not accepted, or that its parser cannot parse.
@Suite(.limited, .usesSockets) struct RefusedStreamTests {
    private let clock = MockClock()
    private let network = MockNetwork()

    /// Refuses a response with the message in its body.
    private struct StrictRequest: StreamedAPIRequest {
        struct Refusal: Error, Equatable { var message: String }

        /// Whether a body makes any response acceptable.
        var acceptsBodies = false

        func makeRequest(from: Void) throws -> URLRequest { .test("events") }

        func validateResponse(data: Data, response: HTTPURLResponse) throws {
            if acceptsBodies, !data.isEmpty { return }
            if response.statusCode >= 400 { throw Refusal(message: data.text) }
        }

        func makeParser(for response: HTTPURLResponse) throws -> ServerSentEvents {
            if response.value(forHTTPHeaderField: "X-Old") != nil { throw TestError(number: 1) }
            return ServerSentEvents()
        }
    }

    /// The message of each refusal; nil stands for the error of the parser.
    private static let refusals: [(MockResponse, acceptsBodies: Bool, String?, data: String)] = [
        // The request is asked again with the body.
        (.text("slow down", status: 429), false, "slow down", "slow down"),
        // If it accepts the body, its first error counts.
        (.text("slow down", status: 429), true, "", "slow down"),
        (.text("slow down", status: 429).failing(afterBytes: 4), false, "slow", "slow"),
        (.text("data: a\n\n", headers: ["X-Old": "1"]), false, nil, "data: a\n\n"),
    ]

    @Test(arguments: refusals.indices) func hasTheBodyOfARefusal(_ index: Int) async throws {
        let (response, acceptsBodies, message, data) = Self.refusals[index]
        network.stub(.get("/events"), response)
        let log = EventLog()
        let error = await network.observed(by: log)
            .stream(StrictRequest(acceptsBodies: acceptsBodies)).outcome().error
        #expect(error?.stage == (message == nil ? .parse : .validate))
        #expect((error?.underlying as? StrictRequest.Refusal)?.message == message)
        #expect(error?.underlying as? TestError == (message == nil ? TestError(number: 1) : nil))
        #expect(error?.data?.text == data)
        #expect(log.lines.last == error.map { ExchangeEvent(rejected: $0, id: 1).description })
    }

    @Test func readsAtMostAMebibyteOfARefusal() async throws {
        let reads = Locked(0)
        let session = BodySession(status: 500) {
            reads.next()
            return Data(count: 1_000_000)
        }
        let error = await session.stream(EventsRequest()).outcome().error
        #expect(error?.stage == .validate)
        #expect(error?.data?.count == 1_048_576)
        #expect(reads.withLock { $0 } == 2)
    }

    @Test func theIdleTimeoutEndsTheReadingOfARefusal() async throws {
        let clock = MockClock(patience: .zero)
        let (reads, isSilent) = (Locked(0), Gate())
        let session = BodySession(status: 503) {
            if reads.next() == 1 { return Data("slow".utf8) }
            isSilent.open()
            _ = try await waitForCancellation()
            return nil
        }
        .timingOut(after: .seconds(5), idle: .seconds(10), clock: clock)
        async let load = session.stream(StrictRequest()).outcome().error

        await isSilent.wait()
        await clock.advance(by: .seconds(10))
        #expect(await load?.data?.text == "slow")
    }

    /// As a proxy does that keeps a refused connection open.
    private func pings(on clock: MockClock) -> BodySession {
        BodySession(status: 503) {
            try await clock.sleep(for: .seconds(2))
            return Data(": ping\n\n".utf8)
        }
    }

    @Test func readsARefusalForFiveSeconds() async throws {
        let events = pings(on: clock).events(.test("events"), reconnecting: .never, clock: clock)
        async let load = events.outcome().error
        await clock.advance(byEach: [.seconds(2), .seconds(2), .seconds(1)])
        let error = await load
        #expect(error?.stage == .validate)
        #expect(error?.statusCode == 503)
        #expect(error?.data?.text == ": ping\n\n: ping\n\n")
    }

    @Test(arguments: [true, false], [true, false]) func readsARefusalUntilTheTimeoutOfTheChain(
        _ isAlsoInnermost: Bool, isMapped: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        var session: any HTTPSession = pings(on: clock)
        if isAlsoInnermost {
            session = session.timingOut(after: .seconds(60), idle: .seconds(60), clock: clock)
        }
        session = session.timingOut(after: .seconds(3), clock: clock).limited(to: 1)
        if isMapped {
            session = session.intercepting { request, next in
                let (body, response) = try await next(request)
                return (body.map { $0 }, response)
            }
        }
        let loads: [@Sendable () async -> APIRequestError?] = [
            { [session] in await session.stream(StrictRequest()).outcome().error },
            { [session] in
                await #expect(throws: APIRequestError.self) {
                    try await session.download(.test("file"), to: folder.file)
                }
            },
        ]

        for load in loads {
            async let error = load()
            await clock.advance(byEach: [.seconds(2), .seconds(1)])
            #expect(await error?.data?.text == ": ping\n\n")
            #expect(await error?.statusCode == 503)
            #expect(clock.pendingDeadlines == [])
            // The body's function is released, and its sleep ends.
            await yieldWhile { clock.pending != [] }
        }
    }

    /// The policies of the chain have no clock.
    @Test func readsARefusalOnTheClockOfTheNetwork() async throws {
        let network = MockNetwork(clock: clock)
        let response = MockResponse.text("0123456789", status: 503)
        network.stub(.any, response.chunked(by: 1, every: .seconds(2)))
        async let load = network.limited(to: 1).stream(StrictRequest()).outcome().error
        await clock.advance(byEach: [.seconds(2), .seconds(2), .seconds(1)])
        #expect(await load?.underlying as? StrictRequest.Refusal == .init(message: "012"))
    }

    @Test func aRefusalThatEndsWithinFiveSecondsIsWhole() async throws {
        let clock = MockClock(patience: .zero)
        let pieces = Locked(["down", "slow "])
        let session = BodySession(status: 429) {
            try await clock.sleep(for: .milliseconds(1_600))
            return pieces.withLock { $0.popLast() }.map { Data($0.utf8) }
        }
        .timingOut(after: .seconds(30), clock: clock)
        async let load = session.stream(StrictRequest()).outcome().error

        for _ in 0..<3 { await clock.advance(byEach: [.milliseconds(1_200), .milliseconds(400)]) }
        #expect(await load?.underlying as? StrictRequest.Refusal == .init(message: "slow down"))
    }

    @Test func aCancellationEndsTheReadingOfARefusal() async throws {
        let reading = Gate()
        let session = BodySession(status: 500) {
            reading.open()
            _ = try await waitForCancellation()
            return nil
        }
        let load = Task { await session.stream(EventsRequest()).outcome().error }
        await reading.wait()
        load.cancel()
        #expect(await load.value?.isCancellation == true)
    }

    @Test(arguments: Transport.allCases)
    func namesThePageInPlaceOfEvents(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        let page = "<html><head><title>Log in to WiFi</title></head></html>"
        network.stub(.get("/words"), .text(page, headers: ["Content-Type": "text/html"]))

        let error = await session.stream(WordsRequest(baseURL: baseURL), "/words").outcome().error
        #expect(error?.stage == .parse)
        let reason = StreamError.unexpectedContentType(
            found: "text/html", expected: ["text/event-stream"])
        #expect(error?.underlying as? StreamError == reason)
        #expect(error?.data?.text == page)
        let lines = error?.description.split(separator: "\n").dropFirst().dropLast()
        #expect(
            lines == [
                "The server responded with 200 (OK) and 55 bytes, text/html.",
                "The response is text/html; text/event-stream was expected.",
            ])
    }
}
