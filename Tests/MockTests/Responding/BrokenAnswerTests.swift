import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Answers that break off, over every way into a network.
@Suite(.limited, .usesSockets) struct BrokenAnswerTests {
    private static let sample = MockResponse.json(#"{"name":"Emma"}"#)

    private func code(
        of request: URLRequest, over transport: Transport, _ response: MockResponse
    ) async throws -> URLError.Code? {
        let network = MockNetwork()
        network.stub(.any, response)
        let (session, baseURL) = try transport.open(network)
        var request = request
        request.url = baseURL.appending(path: "a")
        do {
            let (data, _) = try await session.exchange(request)
            Issue.record("\(transport) gave \(data.text) for \(response)")
            return nil
        } catch let error as URLError {
            return error.code
        }
    }

    // Foundation's client on Linux would end this process if as much came as is asked for: between
    // the first line and the empty one.
    @Test(arguments: Transport.allCases)
    func aHeadIsCut(_ transport: Transport) async throws {
        for response in [Self.sample, .status(204), .status(503), .redirect(to: "/b")] {
            for count in [0, 1, 5, 9, 15, 16, 17, 40, 90, 120, 10_000] {
                let response = response.failing(afterHeaderBytes: count)
                let code = try await code(of: .test("a"), over: transport, response)

                #expect(code == .networkConnectionLost, "\(response)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func aBodyIsCut(_ transport: Transport) async throws {
        let responses = [
            Self.sample, Self.sample.chunked(by: 1), Self.sample.chunked(by: 4),
            Self.sample.chunked(by: 4, every: .seconds(1)), Self.sample.delayed(by: .seconds(1)),
            .json(#"{"name":"Emma"}"#, status: 500), .redirect(to: "/b"), .status(200),
            .events(["a", "b"]), .events(["a"]), .chunks(["a", "b"]),
        ]
        for response in responses {
            for count in [0, 1, 7, 14, 15, 16, 1000, .max] {
                let response = response.failing(afterBytes: count)
                let code = try await code(of: .test("a"), over: transport, response)

                #expect(code == .networkConnectionLost, "\(response)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func aRedirectIsNotFollowed(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.get("/a"), .redirect(to: "/b").failing(afterBytes: 0), times: .any)
        network.stub(.get("/b"), .text("b"), times: .never)
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))

        let error = await #expect(throws: URLError.self) { try await session.stream(request) }

        #expect(error?.code == .networkConnectionLost)
        try network.verify()
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func theErrorIsTheChosenOne(_ transport: Transport) async throws {
        let response = Self.sample.failing(afterBytes: 3, with: .secureConnectionFailed)

        #expect(
            try await code(of: .test("a"), over: transport, response) == .secureConnectionFailed)
    }

    @Test(arguments: Transport.allCases, ["GET", "HEAD"])
    func anAnswerWithoutABodyDoesNotBegin(_ transport: Transport, _ method: String) async throws {
        let response: MockResponse = method == "GET" ? .status(204) : Self.sample

        let code = try await code(
            of: .test("a", method: method), over: transport, response.failing(afterBytes: 3))

        #expect(code == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func theNextAnswerIsWhole(_ transport: Transport) async throws {
        let broken = [
            Self.sample.failing(afterBytes: 3), Self.sample.failing(afterHeaderBytes: 9),
            Self.sample.chunked(by: 2).failing(afterBytes: 3), Self.sample.failing(afterBytes: 99),
        ]
        for response in broken {
            let network = MockNetwork()
            network.stub(.any, response, .text("whole"))
            let (session, baseURL) = try transport.open(network)

            await #expect(throws: URLError.self) {
                try await session.exchange(URLRequest(url: baseURL))
            }
            let (data, _) = try await session.exchange(URLRequest(url: baseURL))

            #expect(data.text == "whole")
            #expect(network.requests.count == 2)
            try network.verify()
        }
    }

    @Test(arguments: Transport.allCases)
    func aSlowBodyBreaksAtItsMoment(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, Self.sample.chunked(by: 1, every: .seconds(5)).failing(afterBytes: 3))
        let (session, baseURL) = try transport.open(network)
        let load = Task { try await session.exchange(URLRequest(url: baseURL)) }

        for _ in 1...2 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(5))
        }

        await #expect(throws: URLError.self) { try await load.value }
        #expect(network.requests.first?.endTime == .seconds(10))
    }

    @Test(arguments: Transport.allCases)
    func aHeldAnswerBreaksWhenItIsReleased(_ transport: Transport) async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, Self.sample.failing(afterBytes: 3).held)
        let (session, baseURL) = try transport.open(network)
        let load = Task { try await session.exchange(URLRequest(url: baseURL)) }
        await stub.waitForRequests()
        #expect(network.requests.first?.endTime == nil)

        stub.release()

        await #expect(throws: URLError.self) { try await load.value }
    }

    @Test func aDelegateSeesWhatCameBefore() async {
        let network = MockNetwork()
        network.stub(.any, Self.sample.chunked(by: 4).failing(afterBytes: 7))

        let events = await DelegateClient().run(.test("a"), network.configuration, .session)

        #expect(
            events == [
                .response(200), .piece(#"{"na"#), .piece(#"me""#), .end(.networkConnectionLost),
            ])
    }

    @Test func exactlySoManyBytesCome() throws {
        for (count, end) in [(0, ""), (7, #"{"name""#), (15, #"{"name":"Emma"}"#)] {
            let text = try raw(Self.sample.failing(afterBytes: count))
            #expect(text.hasSuffix("\r\n\r\n" + end))
            #expect(text.contains("Content-Length: \(count < 15 ? 15 : 16)\r\n"))
        }
        let pieces = Self.sample.chunked(by: 10)
        let text = try raw(pieces.failing(afterBytes: 12))
        #expect(text.contains("Content-Length: 15\r\n"))
        #expect(text.hasSuffix("\r\n\r\n{\"name\":\"Emm"))
        // The end of the last piece is missing, or the end of the whole body.
        let events = MockResponse.events(["a", "b"])
        #expect(
            try raw(events.failing(afterBytes: 11)).hasSuffix(
                "\r\n\r\n9\r\ndata: a\n\n\r\n2\r\nda\r\n"))
        #expect(
            try raw(events.failing(afterBytes: 18)).hasSuffix(
                "\r\n9\r\ndata: b\n\n\r\n"))
        #expect(try raw(Self.sample.failing(afterHeaderBytes: 10)) == "HTTP/1.1 2")
        #if canImport(FoundationNetworking)
        #expect(try raw(Self.sample.failing(afterHeaderBytes: 10_000)) == "HTTP/1.1 200 OK")
        #else
        #expect(try raw(Self.sample.failing(afterHeaderBytes: 10_000)).hasSuffix("\r\n\r"))
        #endif
    }

    private func raw(_ response: MockResponse) throws -> String {
        let network = MockNetwork()
        network.stub(.any, response)
        let client = try RawClient(port: network.serve().port)
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        // The server stops with its network.
        return try withExtendedLifetime(network) { try client.rest().text }
    }
}
