import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

@Suite struct RetryingTests {
    @Test(arguments: Carrier.allCases)
    func waitsOnItsClockAndSendsAgain(_ carrier: Carrier) async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(.get("/a"), .status(503), .status(500), .text("third"))
        let (session, baseURL) = try carrier.open(network)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(baseURL: baseURL),
            urlSession: session.retrying(clock: clock, random: { 0.5 }))
        let load = Task { try await loader.load("/a") }

        // The deadline and the wait.
        await clock.waitForSleepers(2)
        #expect(clock.pending == [.milliseconds(250), .seconds(120)])
        await clock.advance(by: .milliseconds(250))
        await clock.waitForSleepers(2)
        #expect(clock.pending == [.milliseconds(500), .seconds(119.75)])
        #expect(network.requests.count == 2)
        await clock.advance(by: .milliseconds(500))

        #expect(try await load.value == "third")
        #expect(network.requests.count == 3)
    }

    @Test(arguments: Carrier.allCases)
    func retriesAnErrorOfTheNetwork(_ carrier: Carrier) async throws {
        // Over a real socket, a connection that breaks is another error on Linux.
        guard carrier != .loopback else { return }
        let network = MockNetwork()
        network.stub(.get("/a"), .error(.networkConnectionLost), .text("second"))
        let (session, baseURL) = try carrier.open(network)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(baseURL: baseURL),
            urlSession: session.retrying(random: { 0 }))

        #expect(try await loader.load("/a") == "second")
    }

    @Test func givesTheLastAnswerAsItCame() async throws {
        let network = MockNetwork()
        network.stub(
            .any, .status(503), .status(502), .text("the last", status: 500).header("X-A", "b"))
        let session = MockURLSession(network).retrying(random: { 0 })

        let (data, response) = try await session.exchange(.test("a"))

        #expect(data.text == "the last")
        #expect(response.statusCode == 500)
        #expect(response.value(forHTTPHeaderField: "X-A") == "b")
        #expect(network.requests.count == 3)
    }

    @Test func throwsTheLastErrorAsItWas() async throws {
        let attempts = Locked(0)
        let session = MockURLSession().intercepting { _, _ in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            throw URLError(.timedOut, userInfo: ["attempt": number])
        }.retrying(random: { 0 })

        let error = await #expect(throws: URLError.self) {
            try await session.exchange(.test("a"))
        }

        #expect(error?.userInfo["attempt"] as? Int == 3)
    }

    @Test func sendsWhatIsFinalOnce() async throws {
        let network = MockNetwork()
        network.stub(.post("/a"), .status(503))
        network.stub(.get("/missing"), .status(404))
        network.stub(.get("/error")) { _ in throw TestError(number: 7) }
        let session = MockURLSession(network).retrying(random: { 0 })

        #expect(try await session.exchange(.test("a", method: "POST")).1.statusCode == 503)
        #expect(try await session.exchange(.test("missing")).1.statusCode == 404)
        await #expect(throws: TestError(number: 7)) {
            try await session.exchange(.test("error"))
        }

        #expect(network.requests.count == 3)
    }

    @Test func sendsTheSameBodyAgain() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .text("second"))
        let session = network.urlSession.retrying(random: { 0 })
        var request = URLRequest.test("a", method: "POST", body: "{}")
        request.setValue("1", forHTTPHeaderField: "Idempotency-Key")

        _ = try await session.exchange(request)

        #expect(network.requests.map(\.body.text) == ["{}", "{}"])
    }

    @Test func measuresAnHTTPDateFromItsNow() async throws {
        let clock = MockClock()
        let network = MockNetwork { _ in
            let response = HTTPURLResponse(
                url: URL(string: "https://api.example.com/a")!, statusCode: 503, httpVersion: nil,
                headerFields: ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"])
            return (response!, nil)
        }
        let session = MockURLSession(network).retrying(
            clock: clock, now: { Date(timeIntervalSince1970: 784_111_777) })
        let task = Task { await session.ending(of: .test("a")) }

        await clock.waitForSleepers(2)

        #expect(clock.pending.first == .seconds(10))
        task.cancel()
        #expect(await task.value == .error(.cancelled))
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func aCancelledWaitEndsAtOnceAndSendsNothing(_ deadline: Duration?) async throws {
        let clock = MockClock()
        let attempts = Locked(0)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(),
            // Answers also when it is cancelled.
            urlSession: MockURLSession().intercepting { request, _ in
                attempts.withLock { $0 += 1 }
                return try answer(to: request, status: 503)
            }.retrying(RetryPolicy(deadline: deadline), clock: clock, random: { 0.5 }))
        let load = Task { try await loader.load("/a") }
        await clock.waitForSleepers(deadline == nil ? 1 : 2)

        load.cancel()

        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
        #expect((error?.underlying as? URLError)?.code == .cancelled)
        await clock.advance(by: .seconds(100))
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func aCancelledAttemptIsNotTriedAgain(_ deadline: Duration?) async throws {
        let arrivals = Locked(0)
        let arrived = Gate()
        let ended = Gate()
        let session = MockURLSession().intercepting { _, _ in
            arrivals.withLock { $0 += 1 }
            defer { ended.open() }
            arrived.open()
            _ = try? await waitForCancellation()
            // As if the connection had broken in the same moment.
            throw URLError(.networkConnectionLost)
        }.retrying(RetryPolicy(deadline: deadline), clock: MockClock(), random: { 0 })
        let task = Task { await session.ending(of: .test("a")) }
        await arrived.wait()

        task.cancel()

        let expected: URLError.Code = deadline == nil ? .networkConnectionLost : .cancelled
        #expect(await task.value == .error(expected))
        await ended.wait()
        #expect(arrivals.withLock { $0 } == 1)
    }

    @Test func endsAnAttemptInFlightAtTheDeadline() async throws {
        let clock = MockClock()
        let stubborn = StubbornSession()
        let session = stubborn.retrying(RetryPolicy(deadline: .seconds(10)), clock: clock)
        let task = Task { await session.ending(of: .test("a")) }
        await stubborn.arrived.wait()
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(10)])

        await clock.advance(by: .seconds(10))

        #expect(await task.value == .error(.timedOut))
        #expect(stubborn.wasCancelled.withLock { $0 })
        stubborn.mayAnswer.open()
        await stubborn.hasAnswered.wait()
    }

    @Test func startsNoWaitThatWouldEndAfterTheDeadline() async throws {
        let clock = MockClock()
        let network = MockNetwork { request in
            try await clock.sleep(for: .seconds(9))
            return (try answer(to: request, status: 503).1, nil)
        }
        let session = MockURLSession(network).retrying(
            RetryPolicy(baseWait: .seconds(2), deadline: .seconds(10)), clock: clock,
            random: { 0.5 })
        let task = Task { try await session.exchange(.test("a")).1.statusCode }
        await clock.waitForSleepers(2)

        await clock.advance(by: .seconds(9))

        #expect(try await task.value == 503)
        #expect(network.requests.count == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func sendsNothingWhereThereIsNoTime(_ deadline: Duration) async throws {
        let network = MockNetwork()
        let session = MockURLSession(network).retrying(RetryPolicy(deadline: deadline))

        #expect(await session.ending(of: .test("a")) == .error(.timedOut))
        #expect(network.requests.isEmpty)
    }

    @Test func givesEachAttemptItsTimeInsideAndTheWholeOutside() async throws {
        let clock = MockClock()
        let arrivals = Recorder<Duration>()
        let hanging = MockURLSession().intercepting { _, _ in
            arrivals.append(clock.now.offset)
            _ = try await waitForCancellation()
            throw TestError()
        }
        let session = hanging.timingOut(after: .seconds(4), clock: clock)
            .retrying(RetryPolicy(deadline: nil), clock: clock, random: { 0 })
            .timingOut(after: .seconds(10), clock: clock)
        let task = Task { await session.ending(of: .test("a")) }

        for moment in [0, 4, 8] {
            _ = await arrivals.events { $0 == .seconds(moment) }
            await clock.waitForSleepers(2)
            await clock.advance(to: .init(offset: .seconds(moment == 8 ? 10 : moment + 4)))
        }

        #expect(await task.value == .error(.timedOut))
        #expect(clock.now.offset == .seconds(10))
    }

    @Test func aThousandLoadsAreRetriedEachOnItsOwn() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        for number in 0..<1_000 {
            let text = MockResponse.text("\(number)")
            let path = RequestMatcher.get("/\(number)")
            switch number % 4 {
            case 0: network.stub(path, text)
            case 1: network.stub(path, .status(503), text)
            case 2: network.stub(path, .error(.timedOut), .status(429), text)
            default: network.stub(path, .status(500))
            }
        }
        let session = MockURLSession(network).retrying(clock: clock, random: { 0 })

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let (data, response) = try await session.exchange(.test("\(number)"))
                    #expect(response.statusCode == (number % 4 == 3 ? 500 : 200))
                    #expect(data.text == (number % 4 == 3 ? "" : "\(number)"))
                }
            }
            try await group.waitForAll()
        }

        #expect(network.requests.count == 250 * 9)
    }

    @Test func aThousandWaitsAreCancelledOrEnd() async throws {
        let clock = MockClock()
        let network = MockNetwork { request in (try answer(to: request, status: 503).1, nil) }
        let session = MockURLSession(network).retrying(
            RetryPolicy(maximumAttempts: 2), clock: clock, random: { 1 })
        let tasks = (0..<1_000).map { number in
            Task { await session.ending(of: .test("\(number)")) }
        }
        await clock.waitForSleepers(1_001)

        for number in stride(from: 0, to: 1_000, by: 2) { tasks[number].cancel() }
        await clock.advance(by: .milliseconds(500))

        for (number, task) in tasks.enumerated() {
            #expect(await task.value == (number % 2 == 0 ? .error(.cancelled) : .body("")))
        }
        #expect(network.requests.count == 1_500)
    }
}
