import APIKitLite
import TestSupport
import XCTest

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct DelegateTests {
    let network = MockNetwork()

    typealias Row = (response: MockResponse, followsRedirects: Bool, events: [DelegateClient.Event])

    /// Responses, and what the delegate sees.
    private static let answers: [Row] = [
        (
            .text("one two three").chunked(by: 4), true,
            [
                .response(200), .piece("one "), .piece("two "), .piece("thre"), .piece("e"),
                .end(nil),
            ]
        ),
        (
            .chunks(["data: 1", "\n\nda", "ta: 2\n\n"], every: .seconds(1)), true,
            [
                .response(200), .piece("data: 1"), .piece("\n\nda"), .piece("ta: 2\n\n"), .end(nil),
            ]
        ),
        (
            .redirect(to: "/new"), true,
            [.redirect(302, to: "/new"), .response(200), .piece("there"), .end(nil)]
        ),
        (.redirect(to: "/new"), false, [.redirect(302, to: "/new"), .response(302), .end(nil)]),
        (.error(.timedOut), true, [.end(.timedOut)]),
    ]

    @Test(arguments: DelegateClient.Level.allCases, answers)
    func seesEachEventOnce(_ level: DelegateClient.Level, _ row: Row) async {
        network.stub(.any, row.response)
        network.stub(.get("/new"), .text("there"))

        let events = await DelegateClient(followsRedirects: row.followsRedirects)
            .run(.test("a"), network.configuration, level)

        #if canImport(FoundationNetworking)
        #expect(events == row.events)
        #else
        // Foundation may join pieces.
        #expect(DelegateClient.joined(events) == DelegateClient.joined(row.events))
        #endif
        #expect(network.requests.count == (events.contains(.piece("there")) ? 2 : 1))
    }

    @Test(arguments: DelegateClient.Level.allCases)
    func isCancelledOnce(_ level: DelegateClient.Level) async {
        network.stub(.any, .hanging)

        let events = await DelegateClient().run(.test("a"), network.configuration, level) { task in
            await network.waitForRequests()
            task.cancel()
        }

        #expect(events == [.end(.cancelled)])
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func asksTheDelegateOfACompletionHandlersTask() async {
        network.stub(.get("/old"), .redirect(to: "/new"))
        network.stub(.get("/new"), .text("there"))
        let client = DelegateClient()

        let body = await withCheckedContinuation { continuation in
            let task = network.urlSession.dataTask(with: .test("old")) { data, _, _ in
                continuation.resume(returning: data?.text)
            }
            task.delegate = client
            task.resume()
        }

        #expect(body == "there")
        #expect(await client.firstEvent == .redirect(302, to: "/new"))
    }

    // With a data delegate in the session, only the last piece would reach such a task on Linux.
    @Test func givesACompletionHandlerTheWholeBody() async throws {
        network.stub(.any, .text("one two three").chunked(by: 4))
        let session = network.urlSession(delegate: DelegateClient())

        let body = await withCheckedContinuation { continuation in
            session.dataTask(with: .test("a")) { data, _, _ in
                continuation.resume(returning: data?.text)
            }
            .resume()
        }
        #expect(body == "one two three")

        let (data, _) = try await session.exchange(.test("a"))
        #expect(data.text == "one two three")
        let (asyncData, _) = try await session.data(for: .test("a"))
        #expect(asyncData.text == "one two three")
    }

    @Test func deliversAfterASuspension() async {
        let stub = network.stub(.any, .text("value").held)

        let events = await DelegateClient().run(.test("a"), network.configuration, .session) {
            task in
            await stub.waitForRequests()
            task.suspend()
            stub.release()
            task.resume()
        }

        #expect(events == [.response(200), .piece("value"), .end(nil)])
        #expect(network.requests.map(\.wasCancelled) == [false])
    }
}

/// The same client over the talk's mock: XCTest, because its handler is one for the process.
final class TalkDelegateTests: XCTestCase {
    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    private var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return configuration
    }

    func testARedirectArrivesOnce() async {
        for level in DelegateClient.Level.allCases {
            MockURLProtocol.requestHandler = { request in
                guard let url = request.url, url.path == "/old" else {
                    return (HTTPURLResponse(), Data("there".utf8))
                }
                let response = HTTPURLResponse(
                    url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "/new"])
                return (response!, nil)
            }

            let events = await DelegateClient().run(.test("old"), configuration, level)

            XCTAssertEqual(
                events,
                [.redirect(302, to: "/new"), .response(200), .piece("there"), .end(nil)])
        }
    }

    /// A request that waits for its turn may be cancelled meanwhile.
    func testTheHandlerDoesNotRunForACancelledRequest() async throws {
        let handled = Locked<[String]>([])
        let release = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { request in
            handled.withLock { $0.append(request.url!.path) }
            if request.url?.path == "/first" { release.blockUntilSignalled() }
            return (HTTPURLResponse(), nil)
        }
        let first = Task { [configuration] in
            try await URLSession(configuration: configuration).exchange(.test("first"))
        }
        await yieldWhile { handled.withLock(\.count) == 0 }
        let second = ClientRequest(to: StaticHandler.current.core, from: PlainClient {}) { _ in }
        second.send(.test("second"))
        // Work begins in order, so that of the second request can be cancelled now.
        let hasBegun = Gate()
        StaticHandler.current.core.handlers.start { hasBegun.open() }
        await hasBegun.wait()

        second.cancelWork()
        release.signal()
        _ = try await first.value
        _ = try await URLSession(configuration: configuration).exchange(.test("third"))

        XCTAssertEqual(handled.withLock { $0 }, ["/first", "/third"])
    }

    func testCookiesAreStoredAndSentBack() async throws {
        let session = URLSession(configuration: configuration)
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil,
                headerFields: ["Set-Cookie": "id=7; Path=/"])
            return (response!, nil)
        }

        _ = try await session.exchange(.test("a"))
        _ = try await session.exchange(.test("a"))

        let sent = MockURLProtocol.requests.map { $0.request.value(forHTTPHeaderField: "Cookie") }
        #if canImport(FoundationNetworking)
        XCTAssertEqual(sent, [nil, "id=7"])
        #else
        // The session of a task is not known there, and the shared storage is the host app's.
        XCTAssertEqual(sent, [nil, nil])
        #endif
    }
}
