import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// `URLSession.exchange` over a real wire.
@Suite struct ExchangeTests {
    let network = MockNetwork()
    let session = URLSession(configuration: .withoutProxy)

    @Test(arguments: [307, 308])
    func keepsTheBodyOfARedirectedPost(_ status: Int) async throws {
        let server = try network.serve()
        network.stub(.post("/old"), .redirect(to: "/new", status: status))
        network.stub(.post("/new"), .text("there"))
        var request = URLRequest(url: server.url.appending(path: "old"))
        request.httpMethod = "POST"
        request.httpBody = Data("the body".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")

        let (data, response) = try await session.exchange(request)

        #expect(data.text == "there")
        #expect(response.url?.path == "/new")
        #expect(network.requests.map(\.body.text) == ["the body", "the body"])
        #expect(
            network.requests[1].request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }

    @Test func takesNoCredentialToAnotherServer() async throws {
        let server = try network.serve()
        let other = MockNetwork()
        other.stub(.any, .text("other"))
        let otherServer = try other.serve()
        network.stub(.any, .redirect(to: otherServer.url.appending(path: "there").absoluteString))
        var request = URLRequest(url: server.url.appending(path: "here"))
        let secret = ["Authorization", "Cookie", "X-Api-Key", "X-Unknown"]
        for name in secret + ["Accept-Language", "If-None-Match"] {
            request.setValue("value", forHTTPHeaderField: name)
        }

        let (data, response) = try await session.exchange(request)

        #expect(data.text == "other")
        #expect(response.url?.port == otherServer.port)
        let received = try #require(other.requests.first?.request)
        for name in secret { #expect(received.value(forHTTPHeaderField: name) == nil) }
        #expect(received.value(forHTTPHeaderField: "Accept-Language") == "value")
        #expect(received.value(forHTTPHeaderField: "If-None-Match") == "value")
        #expect(network.requests[0].request.value(forHTTPHeaderField: "X-Api-Key") == "value")
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
        network.stub(
            .any, .status(401).header("WWW-Authenticate", #"Basic realm="test""#))

        let (_, response) = try await session.exchange(URLRequest(url: server.url))

        #expect(response.statusCode == 401)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == #"Basic realm="test""#)
    }

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

        let error = await #expect(throws: NotAnHTTPResponse.self) {
            try await URLSession(configuration: configuration).exchange(URLRequest(url: url))
        }

        #expect(error == NotAnHTTPResponse(url: url))
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
