import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A mock network behind nginx, which is reached through a proxy that responds to CONNECT.
@Suite(.limited, .needsTLS, .usesSockets) struct TLSProxyTests {
    // One port serves all tests.
    static let proxy = Result { try ConnectProxy(port: TLSFront.proxyPort) }

    private let network = MockNetwork()
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let session = URLSession(configuration: .withoutProxy)

    enum Way: CaseIterable { case exchange, stream, download }

    static let versions = TLSTests.versions

    init() throws {
        _ = try Self.proxy.get()
        server = try network.serve()
        folder = try TemporaryFolder()
        try folder.write("old")
    }

    private func request(
        _ front: TLSFront, _ path: String = "/", isTyped: Bool = false
    ) -> URLRequest {
        URLRequest(url: front.url(to: server.url, path, isProxied: true, isTyped: isTyped))
    }

    /// Returns the status and the body. A refused download throws.
    private func load(_ request: URLRequest, _ way: Way) async throws -> (Int, String) {
        switch way {
        case .exchange:
            let (data, response) = try await session.exchange(request)
            return (response.statusCode, data.text)
        case .stream:
            let (body, response) = try await session.stream(request)
            return (response.statusCode, try await body.collect().text)
        case .download:
            let response = try await session.fetch(request, to: folder.file)
            return (response.statusCode, folder.content?.text ?? "")
        }
    }

    // Twice: the second request goes over the open connection.
    @Test(arguments: versions, Way.allCases)
    func givesTheResponseOfTheServer(_ front: TLSFront, _ way: Way) async throws {
        network.stub(.any, .text("new", status: 203).header("ETag", "\"1\""))
        for isTyped in [false, false, true, true] {
            #expect(try await load(request(front, isTyped: isTyped), way) == (203, "new"))
        }
    }

    @Test(arguments: versions, Way.allCases)
    func followsARedirect(_ front: TLSFront, _ way: Way) async throws {
        network.stub(.get("/"), .redirect(to: "/new", status: 307))
        network.stub(.get("/new"), .text("new"))
        #expect(try await load(request(front), way) == (200, "new"))
    }

    @Test(arguments: versions, [true, false])
    func aRefusedStatusIsNoFile(_ front: TLSFront, _ isTyped: Bool) async throws {
        network.stub(.any, .text("<title>Not found</title>", status: 404), times: .exactly(2))
        let request = request(front, isTyped: isTyped)
        let error = await #expect(throws: APIRequestError.self) {
            try await session.fetch(request, to: folder.file)
        }
        #expect(try await load(request, .stream).0 == 404)
        #expect(error?.statusCode == 404)
        #expect(folder.content?.text == "old")
        #expect(folder.names == ["file.bin"])
    }

    // Without a content type, a proxy could have sent the response.
    @Test func aStreamNeedsNoContentType() async throws {
        network.stub(.any, .status(200))
        let server = try ClosingServer()
        let url = TLSFront.http1.url(to: server.url, isProxied: true)
        #expect(try await load(request(.http1), .stream) == (200, ""))
        #expect(try await load(URLRequest(url: url), .stream) == (200, "0"))
    }

    /// The stream is returned before the server sends the first event. As a web server, nginx would
    /// hold back the headers until then.
    @Test(arguments: [true, false]) func deliversEventsPieceByPiece(_ isTyped: Bool) async throws {
        let events = (0..<2).map { ServerSentEvent(data: "\($0)") }
        let stub = network.stub(.any, .stream())
        let (body, response) = try await session.stream(request(.bytes, isTyped: isTyped))
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        var pieces = body.makeAsyncIterator()
        for event in 0..<2 {
            try await stub.send(events[event])
            #expect(try await pieces.next()?.text == "data: \(event)\n\n")
        }
        try await stub.finish()
    }

    @Test(arguments: versions) func eventsReconnect(_ front: TLSFront) async throws {
        network.stub(.any, .events([ServerSentEvent(data: "0")]), .status(204))
        let events = try await session.events(request(front), reconnecting: .attempts(2)).all()
        #expect(events.map(\.data) == ["0"])
        #expect(network.requests.count == 2)
    }

    @Test(arguments: [403, 407, 503], Way.allCases)
    func aRefusalOfTheProxyIsAnError(_ status: Int, _ way: Way) async throws {
        let request = URLRequest(url: URL(string: "https://\(status).proxied.example/")!)
        let error = await #expect(throws: URLError.self) { try await load(request, way) }
        #expect(error?.localizedDescription == "CONNECT tunnel failed, response \(status)")
        #expect(folder.content?.text == "old")
    }

    @Test func eventsDoNotTakeARefusalForTheServers() async throws {
        let request = URLRequest(url: URL(string: "https://407.proxied.example/")!)
        let error = await #expect(throws: APIRequestError.self) {
            for try await _ in session.events(request, reconnecting: .never) {}
        }
        #expect(error?.stage == .transport)
        #expect(error?.response == nil)
    }
}
