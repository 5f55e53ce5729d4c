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

        let error = await #expect(throws: URLError.self) {
            try await session.exchange(.test("a"))
        }

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
        await #expect(throws: TestError(number: 7)) {
            try await session.exchange(.test("error"))
        }

        #expect(network.requests.count == 3)
    }

    /// A request of any method.
    private struct AnyRequest: APIRequest {
        func makeRequest(from request: URLRequest) -> URLRequest { request }
        func parseResponse(data: Data) -> Data { data }
    }

    private static let withKey: URLRequest = {
        var request = URLRequest.test("a", method: "POST")
        request.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        return request
    }()

    @Test(
        arguments: [
            (.test("a", method: "POST"), .status(503), .standard, "POST"),
            (.test("a", method: "patch"), .error(.timedOut), .standard, "PATCH"),
            (.test("a"), .status(503), RetryPolicy(methods: []), "GET"),
            (.test("a"), .status(503), .standard, nil),
            (withKey, .status(503), .standard, nil),
            (.test("a", method: "POST"), .status(503), .never, nil),
            (.test("a", method: "POST"), .status(404), .standard, nil),
            (.test("a", method: "POST"), .error(.cannotParseResponse), .standard, nil),
        ] as [(URLRequest, MockResponse, RetryPolicy, String?)])
    func saysThatARequestIsNotSentAgainForItsMethod(
        _ request: URLRequest, _ response: MockResponse, _ policy: RetryPolicy, _ method: String?
    ) async throws {
        let network = MockNetwork()
        network.stub(.any, response, times: .any)
        let session = network.retrying(policy, random: { 0 }).limited(to: 1)

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(AnyRequest(), request)
        }

        let text = try #require(error).description
        #expect(text.contains("retry policy") == (method != nil))
        if let method {
            let sentence =
                "The retry policy sends \(method) again only with an `Idempotency-Key` header: "
                + "\(method) is not among its `methods`."
            #expect(text.contains("\n\(sentence)\n"))
        }
    }

    /// The rule of the app sends the request again, so the policy's methods are not the reason.
    @Test func doesNotNameTheMethodThatARuleSendsAgain() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), times: .any)
        let session = network.retrying(
            deciding: { $0.number < 2 ? .retry(after: .zero) : .finish })

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(AnyRequest(), .test("a", method: "POST", body: "{}"))
        }

        #expect(network.requests.map(\.body.text) == ["{}", "{}"])
        #expect(error?.description.contains("retry policy") == false)
    }

    /// A stream whose body was lost is not asked for again, whatever its method is.
    @Test func doesNotNameTheMethodOfALostStream() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("a").failing(afterBytes: 1, with: .networkConnectionLost))
        let session = network.retrying(random: { 0 })

        let error = await #expect(throws: APIRequestError.self) {
            for try await _ in session.stream(.test("a", method: "POST"), JSONLines(Int.self)) {}
        }

        #expect(error?.stage == .transport)
        #expect(error?.description.contains("retry policy") == false)
    }

    @Test func saysThatTheServerAsksForALongDelay() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(429).header("Retry-After", "3600"), times: .any)
        let clock = MockClock()
        let impatient = network.retrying(clock: clock)

        let error = await #expect(throws: APIRequestError.self) {
            try await impatient.load(AnyRequest(), .test("a"))
        }

        #expect(error?.statusCode == 429)
        let sentence =
            "The server asks for a delay of 3600 s (`Retry-After`), which is longer than the "
            + "`maximumDelay` of the retry policy."
        #expect(error?.description.contains("\n\(sentence)\n") == true)
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
