import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct NetworkHandlerTests {
    let network = MockNetwork()

    private static let text: @Sendable (String) -> (HTTPURLResponse, Data?) = { text in
        (HTTPURLResponse(), Data(text.utf8))
    }

    /// The answer to a request for `/a`, or the text of its error.
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
        for text in ["stub", "handler"] {
            #expect(try await outcome(transport, stubbed) == text)
        }
        try stubbed.verify()
    }

    @Test(arguments: Transport.allCases)
    func aReplacedHandlerAnswersTheRequestsThatCameBefore(_ transport: Transport) async throws {
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

    @Test(arguments: Transport.allCases)
    func aStubTakesTheClosuresOfAHandWrittenMock(_ transport: Transport) async throws {
        let client = try TestClient(transport, network)
        let closure: @Sendable (URLRequest) throws -> (HTTPURLResponse, Data) = { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 202, httpVersion: nil, headerFields: ["X-A": "b"])!
            return (response, Data((request.url?.path ?? "").utf8))
        }
        network.stub(.path("/a"), times: .any, handler: closure)
        network.stub(.get("/c"), times: .once) { request in
            guard let url = request.url else { throw TestError() }
            return (HTTPURLResponse(), Data(url.path.utf8))
        }

        let (data, response) = try await client.session.exchange(client.request())
        #expect(data.text == "/a")
        #expect(response.statusCode == 202)
        #expect(response.value(forHTTPHeaderField: "X-A") == "b")
        #expect(try await client.load("c") == "/c")
        try network.verify()
    }

    // Each closure compiles as before, with the response that its type allows.
    @Test func aClosureThatOnlyThrowsIsAHandlerOfResponses() async throws {
        network.stub(.get("/a")) { _ in throw TestError(number: 7) }
        network.stub(.get("/b")) { request in
            guard request.query["id"] != nil else { return .status(404) }
            return .json("{}")
        }

        await #expect(throws: TestError(number: 7)) {
            try await network.urlSession.exchange(.test("a"))
        }
        let (_, response) = try await network.urlSession.exchange(.test("b"))
        #expect(response.statusCode == 404)
    }

    @Test func aStreamOfTheTestIsNotExpectedFromAClosure() async throws {
        let stub = network.stub(.get("/a")) { _ in Self.text("a") }

        let error = await #expect(throws: MockError.self) { try await stub.send("x") }

        #expect(error?.description.contains("a stub that responds with .stream()") == true)
    }
}

/// A response that is not an `HTTPURLResponse`.
@Suite(.limited, .usesSockets) struct PlainResponseTests {
    private static let plain = URLResponse(
        url: URL(string: "https://api.example.com/a")!, mimeType: "text/x-a",
        expectedContentLength: 1, textEncodingName: nil)

    /// Networks that answer with it: from their handler, and from the closure of a stub.
    private static func networks(_ data: Data?) -> [MockNetwork] {
        let stubbed = MockNetwork()
        stubbed.stub(.any) { _ in (plain, data) }
        return [MockNetwork { _ in (plain, data) }, stubbed]
    }

    @Test(arguments: [Data("x".utf8), Data(), nil])
    func reachesATaskOfAURLSessionAsItIs(_ data: Data?) async throws {
        for network in Self.networks(data) {
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
    }

    @Test func reachesADelegateAsItIs() async throws {
        for network in Self.networks(Data("x".utf8)) {
            let received = Promise<URLResponse>()
            let delegate = CallbackDelegate(response: { received.resolve(with: .success($0)) })

            network.urlSession(delegate: delegate).dataTask(with: .test("a")).resume()

            #expect(try await received.value() === Self.plain)
        }
    }

    @Test func failsALoadThatNeedsAStatus() async throws {
        for network in Self.networks(nil) {
            let error = await #expect(throws: TransportError.self) {
                try await network.urlSession.exchange(.test("a"))
            }
            #expect(error == .notHTTP(Self.plain.url))
            #expect(error?.description.contains("in a mock, return an HTTPURLResponse") == true)
            // The client received the response, and this library refused it.
            #expect(network.requests.count == 1 && network.requests[0].error == nil)
        }
    }

    @Test func failsWhereItCannotBeDelivered() async throws {
        for network in Self.networks(nil) {
            let error = await #expect(throws: MockError.self) {
                try await network.exchange(.test("a"))
            }
            #expect(error?.description.contains("a plain URLResponse") == true)
            let streamed = await #expect(throws: MockError.self) {
                try await network.stream(.test("a"))
            }
            #expect(streamed?.description == error?.description)

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
}
