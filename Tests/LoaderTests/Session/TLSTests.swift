import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A mock network behind nginx, so that everything goes over TLS.
@Suite(.limited, .needsTLS, .usesManySockets) struct TLSTests {
    private let clock = MockClock()
    private let network: MockNetwork
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let session = URLSession(configuration: .withoutProxy)

    static let versions = [TLSFront.http1, .http2]

    enum Upload: CaseIterable { case memory, file, stream }

    init() throws {
        _ = try TLSProxyTests.proxy.get()
        network = MockNetwork(clock: clock)
        server = try network.serve()
        folder = try TemporaryFolder()
    }

    private func request(
        _ front: TLSFront, _ path: String = "/", isProxied: Bool = false
    ) -> URLRequest { URLRequest(url: front.url(to: server.url, path, isProxied: isProxied)) }

    /// Over HTTP/2, `URLSession` alone ends the process (swiftlang/swift-corelibs-foundation#5445).
    @Test(arguments: versions) func followsManyRedirectsAtOnce(_ front: TLSFront) async throws {
        network.stub(.get("/{number}"), .text("here"), times: .any)
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .redirect(to: "/c", status: 303))
        let outcomes = try await concurrently(60) { _ in
            await session.outcome(of: request(front, "/a"))
        }
        #expect(Set(outcomes) == [.body("here")])
        #expect(network.requests.count == 180)
    }

    @Test(arguments: versions, Upload.allCases)
    func sendsABody(_ front: TLSFront, _ upload: Upload) async throws {
        network.stub(.post("/"), .status(201))
        let bytes = Data.pattern(300_000)
        for isProxied in [false, true] {
            var request = request(front, isProxied: isProxied)
            request.httpMethod = "POST"
            switch upload {
            case .memory: request.httpBody = bytes
            case .file: request = try request.fileBody(folder.write(bytes))
            case .stream: request.httpBodyStream = InputStream(data: bytes)
            }

            #expect(try await session.exchange(request).1.statusCode == 201)
            #expect(network.requests.last?.body == bytes)
        }
    }

    @Test(arguments: versions) func deliversEventsPieceByPiece(_ front: TLSFront) async throws {
        let sent = (0..<3).map { ServerSentEvent(data: "\($0)") }
        network.stub(.get("/"), .events(sent, every: .seconds(1)))
        var events = ServerSentEvents()
        var received: [String] = []
        for try await piece in try await session.stream(request(front)).0 {
            received += try events.parse(piece).map(\.data)
            // Only now the server sends the next one.
            if received.count < 3 { await clock.advance(byEach: [.seconds(1)]) }
        }
        #expect(received == ["0", "1", "2"])
    }

    @Test(arguments: versions, [false, true])
    func resumesADownload(_ front: TLSFront, isProxied: Bool) async throws {
        let bytes = Data.pattern(300_000)
        network.stub(.get("/"), .file(bytes).failing(afterBytes: 200_000), .file(bytes))
        try await session.download(
            request(front, isProxied: isProxied), to: folder.file, retrying: .attempts(2))
        #expect(folder.content == bytes)
        #expect(network.requests.map { $0.header("Range") != nil } == [false, true])
    }

    @Test(arguments: [TLSFront.http1, .http2, .bytes])
    func failsIfTheConnectionBreaks(_ front: TLSFront) async throws {
        network.stub(.any, .text("0123456789").failing(afterBytes: 5))
        let outcome = await session.outcome(of: request(front))
        #expect(outcome == .error(.networkConnectionLost))
    }

    /// The connection below TLS breaks in the handshake, or within the response.
    @Test(arguments: [
        BrokenServer.Way.closed, .reset, .resetAfter(50_000, ofPort: TLSFront.http1.port),
        .resetAfter(50_000, ofPort: TLSFront.http2.port),
    ])
    func sendsAgainAfterALostConnection(_ way: BrokenServer.Way) async throws {
        let (request, _, file) = try file()
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try BrokenServer(way)
        let outcome = await session.retrying(.attempts(3)).outcome(of: request(server.port))
        #expect(outcome == .error(.networkConnectionLost))
        #expect(server.count == 3)
    }

    @Test(arguments: versions) func resumesADownloadAfterAReset(_ front: TLSFront) async throws {
        let (request, bytes, file) = try file()
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try BrokenServer(.resetAfter(100_000, ofPort: front.port))
        try await session.download(request(server.port), to: folder.file, retrying: .attempts(3))
        #expect(folder.content == bytes)
        #expect(server.count == 3)
    }

    /// A file of nginx, and a function that returns the request for it.
    private func file() throws -> (@Sendable (_ port: Int) -> URLRequest, Data, URL) {
        let bytes = Data.pattern(300_000)
        let file = TLSFront.files.appending(path: "\(UUID())")
        try bytes.write(to: file)
        // A resumed download needs a `Last-Modified` before the `Date`.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: file.path)
        let name = file.lastPathComponent
        return ({ URLRequest(url: URL(string: "https://localhost:\($0)/\(name)")!) }, bytes, file)
    }

    @Test(arguments: [
        ("https://127.0.0.1:\(TLSFront.http1.port)", URLError.Code.serverCertificateUntrusted),
        ("https://localhost:\(TLSFront.expired.port)", .serverCertificateHasBadDate),
        ("https://localhost:\(TLSFront.stranger.port)", .serverCertificateUntrusted),
        ("", .secureConnectionFailed),
    ])
    func refusesAConnectionThatIsNotSecure(_ url: String, _ code: URLError.Code) async throws {
        network.stub(.any, .text("x"), times: .any)
        let plain = "https://localhost:\(server.port)"
        let request = URLRequest(url: URL(string: url.isEmpty ? plain : url)!)
        let attempts = Locked(0)
        let session = session.intercepting { request, next in
            attempts.next()
            return try await next(request)
        }

        let outcome = await session.retrying(.attempts(3)).outcome(of: request)
        #expect(outcome == .error(code))
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test(arguments: versions, [true, false])
    func keepsTheCookieOfALogin(_ front: TLSFront, _ isStream: Bool) async throws {
        network.stub(.get("/login"), .redirect(to: "/a").header("Set-Cookie", "a=1; Path=/"))
        network.stub(.get("/a"), .text("x").header("Set-Cookie", "b=2; Path=/"), times: .any)
        for path in ["/login", "/a"] {
            _ = await session.outcome(of: request(front, path), asStream: isStream)
        }
        let sent = network.requests.map { Set(($0.header("Cookie") ?? "").split(separator: "; ")) }
        #expect(sent == [[], ["a=1"], ["a=1", "b=2"]])
    }

    @Test(arguments: ["policy", "request", "storage"])
    func keepsNoCookieThatIsNotWanted(_ setting: String) async throws {
        network.stub(.any, .text("x").header("Set-Cookie", "a=1; Path=/"), times: .any)
        let configuration = URLSessionConfiguration.withoutProxy
        let storage = configuration.httpCookieStorage
        if setting == "policy" { configuration.httpCookieAcceptPolicy = .never }
        if setting == "storage" { configuration.httpCookieStorage = nil }
        var request = request(.http2)
        request.httpShouldHandleCookies = setting != "request"
        _ = try await URLSession(configuration: configuration).exchange(request)
        #expect(storage?.cookies ?? [] == [])
    }
}
