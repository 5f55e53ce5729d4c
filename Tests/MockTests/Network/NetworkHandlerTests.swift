import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct NetworkHandlerTests {
    let network = MockNetwork()

    private static let text: @Sendable (String) -> (HTTPURLResponse, Data?) = { text in
        (HTTPURLResponse(), Data(text.utf8))
    }

    /// The response to a request for `/a`, or the text of its error.
    private func outcome(_ transport: Transport, _ network: MockNetwork) async throws -> String {
        let client = try TestClient(transport, network)
        return await client.outcome(of: client.request()).text
    }

    @Test(arguments: Transport.allCases)
    func aHandlerIsSetReplacedAndCleared(_ transport: Transport) async throws {
        let given = MockNetwork { _ in Self.text("1") }
        #expect(given.requestHandler != nil)
        #expect(network.requestHandler == nil)
        network.requestHandler = { _ in Self.text("1") }

        for network in [given, network] {
            #expect(try await outcome(transport, network) == "1")
            network.requestHandler = { _ in
                await Task.yield()
                return Self.text("2")
            }
            #expect(try await outcome(transport, network) == "2")
            network.requestHandler = nil
            #expect(try await outcome(transport, network).contains("No stub responds to GET"))
            #expect(throws: VerificationError.self) { try network.verify() }
            #expect(network.requests.map(\.path) == ["/a", "/a", "/a"])
        }
        let stubbed = MockNetwork { _ in Self.text("handler") }
        stubbed.stub(.get("/a"), .text("stub"), times: .once)
        for text in ["stub", "handler"] { #expect(try await outcome(transport, stubbed) == text) }
        try stubbed.verify()
    }

    @Test(arguments: Transport.allCases)
    func aReplacedHandlerRespondsToTheRequestsThatCameBefore(_ transport: Transport) async throws {
        let release = Gate()
        network.requestHandler = { _ in
            await release.wait()
            return Self.text("old")
        }
        async let old = outcome(transport, network)
        await network.waitForRequests()

        network.requestHandler = { _ in Self.text("new") }

        #expect(try await outcome(transport, network) == "new")
        release.open()
        #expect(try await old == "old")
    }

    @Test func aStubsHandlerMayThrow() async {
        network.stub(.get("/a")) { _ in throw TestError(number: 7) }

        await #expect(throws: TestError(number: 7)) {
            try await network.urlSession.exchange(.test("a"))
        }
    }
}

/// A response that is not an `HTTPURLResponse`.
@Suite(.limited, .usesSockets) struct PlainResponseTests {
    private static let plain = URLResponse(
        url: URL(string: "https://api.example.com/a")!, mimeType: "text/x-a",
        expectedContentLength: 1, textEncodingName: nil)

    /// A network that responds with it.
    private static func network(_ data: Data? = nil) -> MockNetwork {
        MockNetwork { _ in (plain, data) }
    }

    @Test(arguments: [Data("x".utf8), Data(), nil])
    func reachesATaskOfAURLSessionAsItIs(_ data: Data?) async throws {
        let network = Self.network(data)
        let session = network.urlSession
        let (body, response, error) = await withCheckedContinuation { continuation in
            session.dataTask(with: .test("a")) { continuation.resume(returning: ($0, $1, $2)) }
                .resume()
        }

        #expect(response === Self.plain)
        #expect(body ?? Data() == data ?? Data())
        #expect(error == nil)
        try network.verify()
    }

    @Test func reachesADelegateAsItIs() async throws {
        let network = Self.network(Data("x".utf8))
        let received = Promise<URLResponse>()
        let delegate = CallbackDelegate(response: { received.resolve(with: .success($0)) })

        network.urlSession(delegate: delegate).dataTask(with: .test("a")).resume()

        #expect(try await received.value() === Self.plain)
    }

    @Test func failsALoadThatNeedsAStatus() async throws {
        let network = Self.network()
        let error = await #expect(throws: TransportError.self) {
            try await network.urlSession.exchange(.test("a"))
        }
        #expect(error == .notHTTP(Self.plain.url))
        #expect(error?.description.contains("in a mock, return an HTTPURLResponse") == true)
        // The client received the response, and this library refused it.
        #expect(network.requests.count == 1 && network.requests[0].error == nil)
    }

    @Test func failsWhereItCannotBeDelivered() async throws {
        let network = Self.network()
        let text = try await network.mockError()
        #expect(text.contains("a plain URLResponse"))
        let streamed = await #expect(throws: MockError.self) {
            try await network.stream(.test("a"))
        }
        #expect(streamed?.description == text)

        let server = try network.serve()
        let (data, response) = try await URLSession(configuration: .withoutProxy)
            .exchange(URLRequest(url: server.url.appending(path: "a")))
        #expect(response.statusCode == 500)
        #expect(
            data.text == """
                The handler returned a plain URLResponse to GET \(server.url)/a. Only a \
                URLSession can receive one. With the network as the session, or over a socket, \
                return an HTTPURLResponse.

                """)
    }
}
