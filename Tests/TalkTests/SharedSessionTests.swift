import APIKitLite
import APIKitLiteTesting
import TestSupport
import XCTest

/// `URLSession.shared`, which the article on URLProtocol (Qiita) reaches through `registerClass`.
///
/// The network that it has otherwise is a loopback server here.
final class SharedSessionTests: HandlerTestCase {
    private let network = MockNetwork()
    private var server: LoopbackServer!

    override class func setUp() {
        // A proxy would get what is meant for this machine.
        setenv("no_proxy", "127.0.0.1", 1)
    }

    override func setUpWithError() throws {
        network.stub(.any, .text("network"), times: .any)
        server = try network.serve()
        MockURLProtocol.requestHandler = { _ in response("mock") }
    }

    override func tearDown() {
        MockURLProtocol.unregister()
        server.stop()
        super.tearDown()
    }

    private func request(_ path: String = "") -> URLRequest {
        var request = URLRequest(url: server.url.appendingPathComponent(path))
        request.timeoutInterval = 3_600
        return request
    }

    private func text(_ path: String = "", over session: URLSession = .shared) async throws
        -> String
    {
        try await session.exchange(request(path)).0.text
    }

    private func streamedText() async throws -> String {
        let (body, _) = try await URLSession.shared.stream(request())
        var text = ""
        for try await piece in body { text += piece.text }
        return text
    }

    func testTheSharedSessionGetsResponsesWhileRegistered() async throws {
        // The process has sessions by now, and this one has been used.
        var texts = [try await text(), try await streamedText()]
        for _ in 1...10 {
            MockURLProtocol.register()
            texts += [try await text(), try await streamedText()]
            MockURLProtocol.unregister()
            texts += [try await text(), try await streamedText()]
        }

        let round = ["mock", "mock", "network", "network"]
        XCTAssertEqual(texts, ["network", "network"] + (1...10).flatMap { _ in round })
        XCTAssertEqual(network.requests.count, 22)
        XCTAssertEqual(MockURLProtocol.requests.count, 20)
    }

    func testASubclassRegistersItself() async throws {
        final class OnePath: MockURLProtocol {
            override class func canInit(with request: URLRequest) -> Bool {
                super.canInit(with: request) && request.url?.path == "/mocked"
            }
        }
        OnePath.register()
        defer { OnePath.unregister() }

        let texts = [try await text("mocked"), try await text("other")]

        XCTAssertEqual(texts, ["mock", "network"])
    }

    // The article: a registered class responds for the shared session alone, a configured one for
    // its own sessions alone.
    func testEachWayRespondsForItsOwnSessionsAlone() async throws {
        let configured = [try await text(over: makeSession()), try await text()]
        MockURLProtocol.register()
        let registered = [
            try await text(over: URLSession(configuration: .ephemeral)), try await text(),
        ]

        XCTAssertEqual(configured, ["mock", "network"])
        XCTAssertEqual(registered, ["network", "mock"])
    }
}
