import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// `URLSession.shared`, which the article on URLProtocol (Qiita) reaches through `registerClass`.
///
/// The network that it has otherwise is a loopback server here.
final class SharedSessionTests: HandlerTestCase {
    private let network = MockNetwork()
    private var server: LoopbackServer!

    override class func setUp() {
        super.setUp()
        // A proxy would get what is meant for this machine.
        setenv("no_proxy", "127.0.0.1", 1)
    }

    override func setUpWithError() throws {
        network.stub(.any, .text("network"), times: .any)
        server = try network.serve()
        MockURLProtocol.requestHandler = { _ in answer("mock") }
    }

    override func tearDown() {
        MockURLProtocol.unregister()
        server.stop()
        super.tearDown()
    }

    /// Code that cannot be handed a session.
    private enum Weather {
        static func today(at url: URL) async throws -> String {
            try await text(at: url, over: .shared)
        }
    }

    private static func text(at url: URL, over session: URLSession) async throws -> String {
        let (data, _) = try await session.exchange(URLRequest(url: url))
        return String(decoding: data, as: UTF8.self)
    }

    func testAStaticMethodIsAnsweredWhileRegistered() async throws {
        // The process has sessions by now, and this one has been used.
        let before = try await Weather.today(at: server.url)
        MockURLProtocol.register()
        let during = try await Weather.today(at: server.url)
        MockURLProtocol.unregister()
        let after = try await Weather.today(at: server.url)

        XCTAssertEqual([before, during, after], ["network", "mock", "network"])
        XCTAssertEqual(network.requests.count, 2)
        XCTAssertEqual(MockURLProtocol.requests.count, 1)
        XCTAssertNotNil(MockURLProtocol.requests.first?.endTime)
    }

    func testAStreamIsAnsweredWhileRegistered() async throws {
        func text() async throws -> String {
            let (body, _) = try await URLSession.shared.stream(URLRequest(url: server.url))
            var text = ""
            for try await piece in body { text += String(decoding: piece, as: UTF8.self) }
            return text
        }

        let before = try await text()
        MockURLProtocol.register()
        let during = try await text()
        MockURLProtocol.unregister()
        let after = try await text()

        XCTAssertEqual([before, during, after], ["network", "mock", "network"])
    }

    func testRegisteringIsRepeatable() async throws {
        for _ in 1...20 {
            MockURLProtocol.register()
            let during = try await Weather.today(at: server.url)
            MockURLProtocol.unregister()
            let after = try await Weather.today(at: server.url)

            XCTAssertEqual([during, after], ["mock", "network"])
        }
    }

    func testASubclassRegistersItself() async throws {
        final class OnePath: MockURLProtocol {
            override class func canInit(with request: URLRequest) -> Bool {
                super.canInit(with: request) && request.url?.path == "/mocked"
            }
        }
        OnePath.register()
        defer { OnePath.unregister() }

        let mocked = try await Weather.today(at: server.url.appendingPathComponent("mocked"))
        let other = try await Weather.today(at: server.url.appendingPathComponent("other"))

        XCTAssertEqual([mocked, other], ["mock", "network"])
    }

    // The article: a registered class answers for the shared session alone, a configured one for
    // its own sessions alone.

    func testOtherSessionsKeepTheirNetwork() async throws {
        MockURLProtocol.register()

        let other = try await Self.text(
            at: server.url, over: URLSession(configuration: .ephemeral))

        XCTAssertEqual(other, "network")
    }

    func testAConfiguredClassLeavesTheSharedSessionAlone() async throws {
        let session = makeSession()

        let configured = try await Self.text(at: server.url, over: session)
        let shared = try await Weather.today(at: server.url)

        XCTAssertEqual([configured, shared], ["mock", "network"])
    }
}
