import APIKitLite
import APIKitLiteTesting
import TestSupport

/// `URLSession.exchange` over a real wire.
@Suite(.limited, .usesSockets) struct ExchangeTests {
    let network = MockNetwork()
    let session = URLSession(configuration: .withoutProxy)

    /// A session that adds headers to each request.
    private func session(
        adding headers: [String: String], delegate: RedirectDelegate? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.httpAdditionalHeaders = headers
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    @Test(arguments: Transport.allCases, [200, 303, 308])
    func sendsTheBodyOfAQuery(_ transport: Transport, _ status: Int) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.method("QUERY").path("/search")) { request in
            status == 200 ? .text(request.body.text) : .redirect(to: "/other", status: status)
        }
        network.stub(.method("QUERY").path("/other"), times: .any) { .text($0.body.text) }
        network.stub(.get("/other"), .text("a GET"), times: .any)
        let request = try URLRequest("QUERY", baseURL, path: "/search").jsonBody(["q": "Emma"])

        let (data, _) = try await session.retrying(clock: MockClock()).coalescing()
            .exchange(request)
        #expect(data.text == (status == 303 ? "a GET" : #"{"q":"Emma"}"#))
        #expect(network.requests[0].header("Content-Type") == "application/json")
    }

    // Foundation adds them to each request, on Linux even after a redirect.
    @Test(arguments: ["Authorization", "X-Api-Key", "Cookie", "Accept-Token"], [false, true])
    func takesNoHeaderOfTheConfigurationToAnotherServer(_ name: String, viaHost: Bool)
        async throws
    {
        let other = MockNetwork()
        other.stub(.get("/there"), .redirect(to: "/further"))
        other.stub(.get("/further"), .text("other"))
        // Another name for this machine is another origin.
        let otherURL = try other.serve().url.absoluteString
            .replacingOccurrences(of: "127.0.0.1", with: viaHost ? "localhost" : "127.0.0.1")
        let url = try network.serve().url.appending(path: "here")
        network.stub(.get("/here"), .redirect(to: "/near"))
        network.stub(.get("/near"), .redirect(to: otherURL + "/there"))
        let session = session(adding: [name: "secret", "Accept-Language": "eo"])

        let (data, _) = try await session.exchange(URLRequest(url: url))
        #expect(data.text == "other")
        #expect(network.requests.map { $0.header(name) } == ["secret", "secret"])
        #expect(other.requests.count == 2)
        for request in other.requests.map(\.request) {
            // Apple platforms may send the name with a blank value.
            #expect(request.value(forHTTPHeaderField: name).isBlank)
            #expect(request.value(forHTTPHeaderField: "Accept-Language") == "eo")
        }
    }

    @Test func showsAMockNoHeaderOfTheConfigurationElsewhere() async throws {
        network.stub(.host("b.example"), .text("other"))
        network.stub(.host("a.example"), .redirect(to: "https://b.example/"))
        let configuration = network.configuration
        configuration.httpAdditionalHeaders = ["X-Api-Key": "secret"]
        _ = try await URLSession(configuration: configuration).exchange(
            URLRequest(url: URL(string: "https://a.example/")!))
        #expect(network.requests.count == 2)
        #expect(network.requests[1].request.value(forHTTPHeaderField: "X-Api-Key").isBlank)
    }

    @Test func bringsBackNoHeaderFromAnotherServer() async throws {
        let other = MockNetwork()
        let (server, otherServer) = (try network.serve(), try other.serve())
        network.stub(.get("/here"), .redirect(to: otherServer.url.absoluteString))
        other.stub(.any, .redirect(to: server.url.absoluteString + "/back"))
        network.stub(.get("/back"), .text("back"))
        let request = try URLRequest("GET", server.url, path: "/here")
            .header("Authorization", "token")
        _ = try await session(adding: ["X-Api-Key": "secret"]).exchange(request)
        #expect(network.requests.map { $0.header("Authorization") } == ["token", nil])
    }

    @Test func followsSixteenRedirectsAndNoMore() async throws {
        let server = try network.serve()
        network.stub(.get("/{n}")) { request in
            let n = Int(request.pathValues["n"]!)!
            return n == 0 ? .text("arrived") : .redirect(to: "/\(n - 1)")
        }
        for count in [16, 17] {
            let request = URLRequest(url: server.url.appending(path: "\(count)"))
            let outcome = await session.outcome(of: request)
            #expect(outcome == (count == 16 ? .body("arrived") : .error(.httpTooManyRedirects)))
        }
    }

    @Test(arguments: [SendOptions.body, .head()], [false, true])
    func asksTheSessionsDelegateOnItsQueue(_ options: SendOptions, isLimited: Bool) async throws {
        let server = try network.serve()
        network.stub(.any, .redirect(to: "/new"))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let queues = Locked<[OperationQueue?]>([])
        let delegate = RedirectDelegate { _, completion in
            queues.withLock { $0.append(.current) }
            completion(nil)
        }
        let session = URLSession(
            configuration: .withoutProxy, delegate: delegate, delegateQueue: queue)

        let chain: any HTTPSession = isLimited ? session.limitingBodies(to: 1_000) : session
        let (_, response) = try await chain.send(URLRequest(url: server.url), awaiting: options)
        #expect(response.statusCode == 302)
        #expect(network.requests.count == 1)
        #expect(queues.withLock { $0 } == [queue])
    }

    // What Foundation needs on Linux is added to the request of the task only.
    @Test func redirectsOnlyWhatTheRequestHas() async throws {
        let headers = Locked<[[String: String]]>([])
        let delegate = RedirectDelegate { request, completion in
            headers.withLock { $0.append(request.allHTTPHeaderFields ?? [:]) }
            completion(request)
        }
        let (server, other) = (try network.serve(), try network.serve())
        network.stub(
            .put("/{path}"), .redirect(to: "\(other.url)/b", status: 307),
            .redirect(to: "/c", status: 307), .status(201))
        let session = session(adding: ["X-Extra": "1"], delegate: delegate)
        let folder = try TemporaryFolder()
        let request = try URLRequest("PUT", server.url, path: "/a")
            .fileBody(folder.write("hello", "a.txt"))

        #expect(try await session.exchange(request).1.statusCode == 201)
        let expected = ["Content-Type": "text/plain"]
        #expect(headers.withLock { $0 } == [expected, expected])
        #expect(network.requests.map(\.body.text) == ["hello", "hello", "hello"])
        #expect(network.requests.map { $0.header("X-Extra") } == ["1", nil, nil])
    }

    @Test func refusesToSendAStreamTwice() async throws {
        network.stub(.any, .redirect(to: "/new", status: 307))
        var request = URLRequest(url: try network.serve().url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        #expect(await session.outcome(of: request) == .error(.requestBodyStreamExhausted))
        #expect(network.requests.map(\.body.text) == ["once"])
    }

    #if canImport(FoundationNetworking)
    // Foundation on Linux would end the process.
    @Test(arguments: [false, true]) func refusesAnInvalidatedSession(_ waits: Bool) async throws {
        let request = URLRequest(url: try network.serve().url)
        network.stub(.any, .text("hello"), times: .any)
        _ = try await session.exchange(request)
        if waits { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
        // It is invalidated on a queue, which then calls this.
        _ = await session.pendingTasks()
        await #expect(throws: TransportError.invalidatedSession) {
            try await session.exchange(request)
        }
    }

    @Test func refusesARedirectOfAnInvalidatedSession() async throws {
        let request = URLRequest(url: try network.serve().url)
        network.stub(.any) { [session] _ in
            session.finishTasksAndInvalidate()
            return .redirect(to: "/new")
        }
        await #expect(throws: TransportError.invalidatedSession) {
            try await session.exchange(request)
        }
        #expect(network.requests.count == 1)
    }

    @Test(arguments: [TimeInterval.infinity, 1e300, .nan, -.infinity, -1e300, -1, 0])
    func takesAnyTimeout(_ timeout: TimeInterval) async throws {
        network.stub(.any, timeout <= 0 ? .hanging : .text("hello"), times: .any)
        var request = URLRequest(url: try network.serve().url)
        request.timeoutInterval = timeout
        let outcome = await session.outcome(of: request)
        #expect(outcome == (timeout <= 0 ? .error(.timedOut) : .body("hello")))
    }
    #endif

    @Test func tellsARefusedConnection() async throws {
        let port = try RefusingPort()
        let outcome = await session.outcome(of: URLRequest(url: port.url))
        #expect(outcome == .error(.cannotConnectToHost))
    }

    @Test func refusesAResponseThatIsNotHTTP() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FileLikeURLProtocol.self]
        let url = URL(string: "local:///file")!
        let error = await #expect(throws: TransportError.self) {
            try await URLSession(configuration: configuration).exchange(URLRequest(url: url))
        }
        #expect(error == TransportError.notHTTP(url))
        #expect(error?.description.contains("local:") == true)
    }
}

extension URLResponse {
    static func notHTTP(_ url: URL) -> URLResponse {
        URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }
}

/// Gives a response that is not HTTP.
private final class FileLikeURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        let response = URLResponse.notHTTP(request.url!)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }
}

extension String? { fileprivate var isBlank: Bool { self?.allSatisfy(\.isWhitespace) ?? true } }

/// Responds to each redirect with a function.
final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    typealias Completion = @Sendable (URLRequest?) -> Void
    private let respond: @Sendable (URLRequest, @escaping Completion) -> Void

    init(_ respond: @escaping @Sendable (URLRequest, @escaping Completion) -> Void) {
        self.respond = respond
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping Completion
    ) { respond(newRequest, completionHandler) }
}

/// A cookie is deleted by its `Max-Age`, which Foundation on Linux ignores.
@Suite(.limited, .usesSockets) struct CookieDeletionTests {
    enum Row: CaseIterable {
        case byAResponse, byARedirect, notIfTheRequestHandlesNone, notIfTheSessionAcceptsNone

        var isDeleted: Bool { self == .byAResponse || self == .byARedirect }
    }

    @Test(arguments: Row.allCases, [true, false])
    func isDeleted(_ row: Row, _ isStream: Bool) async throws {
        let network = MockNetwork()
        let (name, value) = ("Set-Cookie", "id=1; Max-Age=0; Path=/")
        network.stub(.get("/out"), .text("end").header(name, value), times: .any)
        network.stub(.get("/away"), .redirect(to: "/end").header(name, value))
        network.stub(.get("/end"), .text("end"))
        let url = try network.serve().url
        let configuration = URLSessionConfiguration.withoutProxy
        if row == .notIfTheSessionAcceptsNone { configuration.httpCookieAcceptPolicy = .never }
        let storage = try #require(configuration.httpCookieStorage)
        let cookie = HTTPCookie(
            properties: [.name: "id", .value: "1", .domain: "127.0.0.1", .path: "/"])
        storage.setCookie(try #require(cookie))
        var request = URLRequest(url: url.appending(path: row == .byARedirect ? "away" : "out"))
        request.httpShouldHandleCookies = row != .notIfTheRequestHandlesNone

        let session = URLSession(configuration: configuration)
        #expect(await session.outcome(of: request, asStream: isStream) == .body("end"))
        #expect(storage.cookies?.count == (row.isDeleted ? 0 : 1))
    }
}

/// A response over TLS sets a cookie that is replaced or deleted before its body has ended.
/// Foundation on Linux stores no cookie of HTTP/2.
@Suite(.limited, .needsTLS, .usesSockets) struct TLSCookieTests {
    @Test(arguments: TLSTests.versions, CookieChange.allCases)
    func isStoredOnce(_ front: TLSFront, _ change: CookieChange) async throws {
        for isStream in [true, false] {
            let network = MockNetwork()
            let server = try network.serve()
            let configuration = URLSessionConfiguration.withoutProxy

            // A task with a completion handler shows the headers of HTTP/2 at the end of the body.
            let values = try await change.storedValues(
                network, over: URLSession(configuration: configuration),
                in: try #require(configuration.httpCookieStorage), asStream: isStream,
                hasOld: front == .http2, storesAtHeaders: front == .http1
            ) { front.url(to: server.url, "/" + $0) }

            #expect(values == change.expectedValues, "as a stream: \(isStream)")
        }
    }
}
