import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets, .mayBlock) struct BrokenResponseTests {
    private static let sample = MockResponse.json(#"{"name":"Emma"}"#)

    /// The error of a request that a response breaks.
    private func code(
        _ transport: Transport, _ response: MockResponse, method: String = "GET"
    ) async throws -> ExchangeOutcome {
        let client = try TestClient(transport, MockNetwork(response))
        return await client.session.outcome(of: client.request(method: method))
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
                #expect(
                    try await code(transport, response) == .error(.networkConnectionLost),
                    "\(response)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func aRedirectIsNotFollowed(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.get("/a"), .redirect(to: "/b").failing(afterBytes: 0), times: .any)
        client.network.stub(.get("/b"), .text("b"), times: .never)

        #expect(await urlErrorCode { try await client.stream() } == .networkConnectionLost)
        try client.network.verify()
    }

    @Test(arguments: Transport.allCases)
    func theErrorIsTheChosenOne(_ transport: Transport) async throws {
        let response = Self.sample.failing(afterBytes: 3, with: .secureConnectionFailed)
        // Over a socket, each error is a lost connection.
        let expected: URLError.Code =
            transport == .loopback ? .networkConnectionLost : .secureConnectionFailed

        #expect(try await code(transport, response) == .error(expected))
        // A response without a body does not begin.
        for (method, response) in [("GET", MockResponse.status(204)), ("HEAD", Self.sample)] {
            let code = try await code(transport, response.failing(afterBytes: 3), method: method)
            #expect(code == .error(.networkConnectionLost))
        }
    }

    @Test(arguments: Transport.allCases)
    func theNextResponseIsWhole(_ transport: Transport) async throws {
        let broken = [
            Self.sample.failing(afterBytes: 3), .error(.networkConnectionLost),
            Self.sample.chunked(by: 2).failing(afterBytes: 3), Self.sample.failing(afterBytes: 99),
        ]
        for response in broken {
            let client = try TestClient(transport, MockNetwork(response, .text("whole")))

            await #expect(throws: URLError.self) { try await client.load() }

            #expect(try await client.load() == "whole")
            #expect(client.network.requests.count == 2)
            try client.network.verify()
        }
    }

    @Test(arguments: Transport.allCases)
    func breaksAtItsMoment(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let client = try TestClient(transport, MockNetwork(clock: clock))
        let slow = Self.sample.chunked(by: 1, every: .seconds(5)).failing(afterBytes: 3)
        client.network.stub(.get("/a"), slow)
        let stub = client.network.stub(.get("/held"), Self.sample.failing(afterBytes: 3).held)
        let load = Task { try await client.load() }

        for _ in 1...2 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(5))
        }

        await #expect(throws: URLError.self) { try await load.value }
        #expect(client.network.requests.first?.endTime == .seconds(10))

        let held = Task { try await client.load("held") }
        await stub.waitForRequests()
        #expect(client.network.requests.last?.endTime == nil)
        stub.release()
        await #expect(throws: URLError.self) { try await held.value }
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
        #expect(try raw(events.failing(afterBytes: 18)).hasSuffix("\r\n9\r\ndata: b\n\n\r\n"))
    }

    private func raw(_ response: MockResponse) throws -> String {
        let network = MockNetwork(response)
        let client = try network.serve().client(get("/a"))
        // The server stops with its network.
        return try withExtendedLifetime(network) { try client.rest().text }
    }
}
