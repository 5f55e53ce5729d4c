import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct RetryingTests {
    @Test(arguments: Transport.allCases)
    func waitsOnItsClockAndSendsAgain(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(.get("/a"), .error(.networkConnectionLost), .status(503), .text("third"))
        let (session, baseURL) = try transport.open(network)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(baseURL: baseURL),
            urlSession: session.retrying(
                RetryPolicy(deadline: nil), clock: clock, random: { 0.5 }))
        async let load = loader.load("/a")

        await clock.waitForSleepers()
        #expect(clock.pending == [.milliseconds(250)])
        await clock.advance(by: .milliseconds(250))
        await clock.waitForSleepers()
        #expect(clock.pending == [.milliseconds(500)])
        #expect(network.requests.count == 2)
        await clock.advance(by: .milliseconds(500))

        #expect(try await load == "third")
        #expect(network.requests.count == 3)
    }

    @Test func givesTheLastAnswerAsItCame() async throws {
        let network = MockNetwork()
        network.stub(
            .any, .status(503), .status(502), .text("the last", status: 500).header("X-A", "b"))
        let session = network.retrying(random: { 0 })

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

        let error = await #expect(throws: URLError.self) { try await session.exchange(.test("a")) }
        #expect(error?.userInfo["attempt"] as? Int == 3)
    }

    @Test func sendsARequestWithAFinalAnswerOnce() async throws {
        let network = MockNetwork()
        network.stub(.post("/a"), .status(503))
        network.stub(.get("/missing"), .status(404))
        network.stub(.get("/error")) { _ in throw TestError(number: 7) }
        let session = network.retrying(random: { 0 })

        #expect(try await session.exchange(.test("a", method: "POST")).1.statusCode == 503)
        #expect(try await session.exchange(.test("missing")).1.statusCode == 404)
        await #expect(throws: TestError(number: 7)) { try await session.exchange(.test("error")) }
        #expect(network.requests.count == 3)
    }

    /// A request of any method.
    private struct AnyRequest: APIRequest {
        func makeRequest(from request: URLRequest) -> URLRequest { request }
        func parseResponse(data: Data) -> Data { data }
    }

    @Test func asksTheRuleOnceForEachAttempt() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), times: .any)
        let attempts = Locked<[Int]>([])
        let session = network.retrying(deciding: { attempt in
            attempts.withLock { $0.append(attempt.number) }
            return attempt.number < 2 ? .retry(after: .zero) : .finish
        })

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(AnyRequest(), .test("a", method: "POST", body: "{}"))
        }
        #expect(error?.description.isEmpty == false)
        #expect(network.requests.map(\.body.text) == ["{}", "{}"])
        #expect(attempts.withLock { $0 } == [1, 2])
    }

    @Test func finishesIfTheServerAsksForALongDelay() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(429).header("Retry-After", "3600"), times: .any)
        let clock = MockClock()

        let error = await #expect(throws: APIRequestError.self) {
            try await network.retrying(clock: clock).load(AnyRequest(), .test("a"))
        }
        #expect(error?.retryAfter == .seconds(3600))
        #expect(network.requests.count == 1)
        #expect(clock.pending.isEmpty)
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
        let session = network.retrying(
            clock: clock, now: { Date(timeIntervalSince1970: 784_111_777) })
        let task = Task { await session.outcome(of: .test("a")) }

        await clock.waitForSleepers()
        #expect(clock.pending.first == .seconds(10))
        task.cancel()
        #expect(await task.value == .error(.cancelled))
    }
}
