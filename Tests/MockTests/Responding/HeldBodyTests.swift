import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The headers arrive immediately, and the body when the test releases it.
@Suite(.limited, .usesSockets) struct HeldBodyTests {
    private static let responses: [MockResponse] = [
        .text("abc"), .chunks(["a", "bc"]), .chunks(["a", "bc"], every: .seconds(1)),
        .text("abc").delayed(by: .seconds(1)), .stream { try await $0.send("abc") },
    ]

    @Test(arguments: Transport.allCases, responses.indices)
    func theBodyFollowsTheRelease(_ transport: Transport, _ index: Int) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let stub = network.stub(.any, Self.responses[index].heldBody)

        for count in 1...2 {
            let (body, response) = try await session.stream(URLRequest(url: baseURL))
            #expect(response.statusCode == 200)
            if count == 1 {
                #expect(network.requests.first?.sent == [])
                stub.release()
            }
            #expect(try await body.text == "abc")
        }
    }

    @Test func aFailureFollowsTheReleaseToo() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("abc").failing(afterBytes: 1).heldBody)

        let (body, _) = try await MockURLSession(network).stream(.test("a"))
        stub.release()
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        await #expect(throws: URLError(.networkConnectionLost)) { _ = try await pieces.next() }
    }

    @Test(arguments: [
        MockResponse.text("abc").failing(afterBytes: 0), .status(200).failing(afterBytes: 5),
    ])
    func aFailureWithoutABodyIsHeldToo(_ response: MockResponse) async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, response.heldBody)

        let (body, _) = try await MockURLSession(network).stream(.test("a"))
        #expect(network.requests.map(\.endTime) == [nil])
        stub.release()
        var pieces = body.makeAsyncIterator()

        await #expect(throws: URLError(.networkConnectionLost)) { _ = try await pieces.next() }
    }

    @Test(arguments: [MockResponse.status(204), .redirect(to: "/b"), .text("")])
    func aResponseWithoutABodyIsNotHeld(_ response: MockResponse) async throws {
        let network = MockNetwork()
        network.stub(.get("/b"), .status(204), times: .any)
        network.stub(.get("/a"), response.heldBody)

        let (data, _) = try await network.urlSession.exchange(.test("a"))

        #expect(data.isEmpty)
    }

    @Test(arguments: [false, true])
    func timesOutWhileTheBodyIsHeld(_ isStream: Bool) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, isStream ? .stream().heldBody : .text("a").heldBody)

        let (body, _) = try await MockURLSession(network).stream(.test("a"))
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(60)])
        await clock.advance(by: .seconds(60))

        await #expect(throws: URLError(.timedOut)) { _ = try await body.text }
    }

    @Test func theTimeoutStartsAgainAtTheRelease() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.any, .chunks(["a", "b"], every: .seconds(59)).heldBody)

        let (body, _) = try await MockURLSession(network).stream(.test("a"))
        await clock.advance(by: .seconds(59))
        stub.release()
        await clock.advance(by: .seconds(59))

        #expect(try await body.text == "ab")
        #expect(clock.pending == [])
    }

    @Test func aClientMayLeaveWhileTheBodyIsHeld() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("a").heldBody)

        _ = try await MockURLSession(network).stream(.test("a"))
        await network.waitForResponses()
        stub.release()

        #expect(network.requests.map(\.wasCancelled) == [true])
        try network.verify()
    }
}
