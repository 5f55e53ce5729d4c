import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct DelegateTests {
    let network = MockNetwork()

    typealias Row = (response: MockResponse, followsRedirects: Bool, events: [DelegateClient.Event])

    /// Responses, and what the delegate sees.
    private static let responses: [Row] = [
        (
            .text("one two th").chunked(by: 4), true,
            [.response(200), .piece("one "), .piece("two "), .piece("th"), .end(nil)]
        ),
        (
            .chunks(["data: 1", "\n\nda", "ta: 2\n\n"], every: .seconds(1)), true,
            [.response(200), .piece("data: 1"), .piece("\n\nda"), .piece("ta: 2\n\n"), .end(nil)]
        ),
        (
            .redirect(to: "/new"), true,
            [.redirect(302, to: "/new"), .response(200), .piece("there"), .end(nil)]
        ),
        (.redirect(to: "/new"), false, [.redirect(302, to: "/new"), .response(302), .end(nil)]),
        (.error(.timedOut), true, [.end(.timedOut)]),
        (
            .text("one two").chunked(by: 4).failing(afterBytes: 6), true,
            [.response(200), .piece("one "), .piece("tw"), .end(.networkConnectionLost)]
        ),
    ]

    @Test(arguments: DelegateClient.Level.allCases, responses)
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

        let (data, _, _) = await network.urlSession.completion(of: .test("old"), delegate: client)

        #expect(data?.text == "there")
        #expect(await client.firstEvent == .redirect(302, to: "/new"))
    }

    // With a data delegate in the session, only the last piece would reach such a task on Linux.
    @Test func givesACompletionHandlerTheWholeBody() async throws {
        network.stub(.any, .text("one two three").chunked(by: 4))
        let session = network.urlSession(delegate: DelegateClient())

        #expect(await session.completion(of: .test("a")).data?.text == "one two three")
        #expect(try await session.exchange(.test("a")).0.text == "one two three")
        #expect(try await session.data(for: .test("a")).0.text == "one two three")
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
