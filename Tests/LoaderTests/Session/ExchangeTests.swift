import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// `URLSession.exchange` over a real wire.
@Suite(.limited, .usesManySockets) struct ExchangeTests {
    let network = MockNetwork()
    let session = URLSession(configuration: .withoutProxy)

    @Test(arguments: Transport.allCases, [200, 303, 308])
    func sendsTheBodyOfAQuery(_ transport: Transport, _ status: Int) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.method("QUERY").path("/search")) { request in
            status == 200 ? .text(request.body.text) : .redirect(to: "/other", status: status)
        }
        network.stub(.method("QUERY").path("/other"), times: .any) { .text($0.body.text) }
        network.stub(.get("/other"), .text("a GET"), times: .any)
        let request = try URLRequest("QUERY", baseURL, path: "/search").jsonBody(["q": "Emma"])

        let (data, _) = try await session.retrying().coalescing().exchange(request)
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
        let server = try network.serve()
        network.stub(.get("/here"), .redirect(to: "/near"))
        network.stub(.get("/near"), .redirect(to: otherURL + "/there"))
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.httpAdditionalHeaders = [name: "secret", "Accept-Language": "eo"]
        let session = URLSession(configuration: configuration)

        let (data, _) = try await session.exchange(
            URLRequest(url: server.url.appending(path: "here")))
        #expect(data.text == "other")
        let sent = network.requests.map { $0.request.value(forHTTPHeaderField: name) }
        #expect(sent == ["secret", "secret"])
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
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.httpAdditionalHeaders = ["X-Api-Key": "secret"]
        var request = URLRequest(url: server.url.appending(path: "here"))
        request.setValue("token", forHTTPHeaderField: "Authorization")

        _ = try await URLSession(configuration: configuration).exchange(request)
        let sent = network.requests.map { $0.request.value(forHTTPHeaderField: "Authorization") }
        #expect(sent == ["token", nil])
    }

    @Test func followsSixteenRedirectsAndNoMore() async throws {
        let server = try network.serve()
        network.stub(.get("/{n}")) { request in
            let n = Int(request.pathValues["n"]!)!
            return n == 0 ? .text("arrived") : .redirect(to: "/\(n - 1)")
        }

        let (data, _) = try await session.exchange(
            URLRequest(url: server.url.appending(path: "16")))
        #expect(data.text == "arrived")
        let error = await #expect(throws: URLError.self) {
            try await session.exchange(URLRequest(url: server.url.appending(path: "17")))
        }
        #expect(error?.code == .httpTooManyRedirects)
    }

    @Test func asksTheSessionsDelegate() async throws {
        final class Refusing: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                completionHandler(nil)
            }
        }
        let server = try network.serve()
        network.stub(.any, .redirect(to: "/new"))
        let session = URLSession(
            configuration: .withoutProxy, delegate: Refusing(), delegateQueue: nil)

        let (_, response) = try await session.exchange(URLRequest(url: server.url))
        #expect(response.statusCode == 302)
        #expect(network.requests.count == 1)
    }

    // What Foundation needs on Linux is added to the request of the task only.
    @Test func redirectsOnlyWhatTheRequestHas() async throws {
        final class Watching: NSObject, URLSessionTaskDelegate {
            let headers = Locked<[[String: String]]>([])

            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                headers.withLock { $0.append(newRequest.allHTTPHeaderFields ?? [:]) }
                completionHandler(newRequest)
            }
        }
        let (server, other) = (try network.serve(), try network.serve())
        network.stub(
            .put("/{path}"), .redirect(to: "\(other.url)/b", status: 307),
            .redirect(to: "/c", status: 307), .status(201))
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.httpAdditionalHeaders = ["X-Extra": "1"]
        let delegate = Watching()
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        let folder = try TemporaryFolder()
        let request = try URLRequest("PUT", server.url, path: "/a")
            .fileBody(folder.write("hello", "a.txt"))

        #expect(try await session.exchange(request).1.statusCode == 201)
        #expect(
            delegate.headers.withLock { $0 }
                == [["Content-Type": "text/plain"], ["Content-Type": "text/plain"]])
        #expect(network.requests.map(\.body.text) == ["hello", "hello", "hello"])
        #expect(network.requests.map { $0.header("X-Extra") } == ["1", nil, nil])
    }

    @Test func refusesToSendAStreamTwice() async throws {
        let server = try network.serve()
        network.stub(.any, .redirect(to: "/new", status: 307))
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("once".utf8))

        let error = await #expect(throws: URLError.self) { try await session.exchange(request) }
        #expect(error?.code == .requestBodyStreamExhausted)
        #expect(network.requests.map(\.body.text) == ["once"])
    }

    // Foundation on Linux would wait forever.
    @Test func endsAtARefusedCredential() async throws {
        let server = try network.serve()
        network.stub(.any, .status(401).header("WWW-Authenticate", #"Basic realm="test""#))
        let (_, response) = try await session.exchange(URLRequest(url: server.url))
        #expect(response.statusCode == 401)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == #"Basic realm="test""#)
    }

    #if canImport(FoundationNetworking)
    // Foundation on Linux would end the process.
    @Test(arguments: [false, true])
    func refusesAnInvalidatedSession(_ waits: Bool) async throws {
        let session = URLSession(configuration: .withoutProxy)
        let server = try network.serve()
        network.stub(.any, .text("hello"), times: .any)
        _ = try await session.exchange(URLRequest(url: server.url))

        if waits { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
        // It is invalidated on a queue, which then calls this.
        await withCheckedContinuation { continuation in
            session.getAllTasks { _ in continuation.resume() }
        }

        await #expect(throws: TransportError.invalidatedSession) {
            try await session.exchange(URLRequest(url: server.url))
        }
    }

    @Test func refusesARedirectOfAnInvalidatedSession() async throws {
        let session = URLSession(configuration: .withoutProxy)
        let server = try network.serve()
        network.stub(.any) { _ in
            session.finishTasksAndInvalidate()
            return .redirect(to: "/new")
        }

        await #expect(throws: TransportError.invalidatedSession) {
            try await session.exchange(URLRequest(url: server.url))
        }
        #expect(network.requests.count == 1)
    }

    @Test(arguments: [TimeInterval.infinity, 1e300, .nan, -.infinity, -1e300, -1, 0])
    func takesAnyTimeout(_ timeout: TimeInterval) async throws {
        let server = try network.serve()
        network.stub(.any, timeout <= 0 ? .hanging : .text("hello"), times: .any)
        var request = URLRequest(url: server.url)
        request.timeoutInterval = timeout

        let outcome = await session.outcome(of: request)
        #expect(outcome == (timeout <= 0 ? .error(.timedOut) : .body("hello")))
    }
    #endif

    @Test func tellsARefusedConnection() async throws {
        let port = try RefusingPort()

        let error = await #expect(throws: URLError.self) {
            try await session.exchange(URLRequest(url: port.url))
        }
        #expect(error?.code == .cannotConnectToHost)
    }

    @Test func refusesAnAnswerThatIsNotHTTP() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FileLikeURLProtocol.self]
        let url = URL(string: "local:///file")!

        let error = await #expect(throws: TransportError.self) {
            try await URLSession(configuration: configuration).exchange(URLRequest(url: url))
        }
        #expect(error == TransportError.notHTTP(url))
        #expect(error?.errorDescription?.contains("local:") == true)
    }
}

/// Answers with a response that is not HTTP.
private final class FileLikeURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        let response = URLResponse(
            url: request.url!, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }
}

extension String? {
    fileprivate var isBlank: Bool { self?.allSatisfy(\.isWhitespace) ?? true }
}
