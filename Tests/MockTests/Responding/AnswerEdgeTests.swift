import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Ways of answering that meet each other.
@Suite(.limited, .usesSockets) struct AnswerEdgeTests {
    @Test(arguments: Transport.allCases)
    func aCompressedAnswerCanBePassedThrough(_ transport: Transport) async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let real = MockNetwork()
        real.stub(.any, .data(zipped).header("Content-Encoding", "gzip"))
        let realURL = try real.serve().url
        let realSession = URLSession(configuration: .withoutProxy).intercepting { request, next in
            try await next(URLRequest(url: realURL))
        }
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: realSession))
        let (session, baseURL) = try transport.open(network)

        let (data, _) = try await session.exchange(URLRequest(url: baseURL))

        #expect(data.text == "hello")
    }

    @Test(arguments: Transport.allCases)
    func aPartOfASlowBodyIsSlow(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .any, .text("abcdefgh").chunked(by: 2, every: .seconds(1)).acceptingRanges)
        let (session, baseURL) = try transport.open(network)
        var request = URLRequest(url: baseURL)
        request.setValue("bytes=1-5", forHTTPHeaderField: "Range")

        async let load = session.exchange(request)
        await network.waitForRequests()
        await clock.advance(by: .seconds(2))
        let (data, response) = try await load

        #expect(data.text == "bcdef")
        #expect(response.statusCode == 206)
        #expect(network.requests.first?.endTime == .seconds(2))
    }

    @Test func theOnlyResponseIsNotTheLastOfSeveral() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("1"), then: .fail)
        _ = try await network.urlSession.exchange(.test("a"))

        let failure = await #expect(throws: MockError.self) {
            try await network.urlSession.exchange(.test("a"))
        }

        #expect(failure?.description.contains("/a came after the only response of the") == true)
    }

    @Test(arguments: Transport.allCases)
    func whatAHandlerDoesWrongIsVerifiedToo(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any) { _ in .json("{") }
        let (session, baseURL) = try transport.open(network)
        // As in code that takes any failure for an empty list.
        _ = try? await session.exchange(URLRequest(url: baseURL))

        let failure = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(failure?.findings.count == 1)
        #expect(failure?.description.contains("is not JSON: { (MockTests/AnswerEdge") == true)
    }

    @Test(arguments: [Stub.Times.exactly(-1), .atLeast(-1)])
    func aNegativeCountIsAConfigurationError(_ times: Stub.Times) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("x"), times: times)

        let failure = await #expect(throws: MockError.self) {
            try await network.urlSession.exchange(.test("a"))
        }
        let verification = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(failure?.description.contains("(-1): a count is not negative. (MockTests") == true)
        #expect(verification?.findings == failure.map { [$0.description] })
    }

    @Test func aUseThatWasForbiddenIsSaidPlainly() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("x"), times: .never)
        _ = try? await network.urlSession.exchange(.test("a"))

        let failure = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(failure?.description.hasSuffix("was used once, but should never be used.") == true)
    }
}
