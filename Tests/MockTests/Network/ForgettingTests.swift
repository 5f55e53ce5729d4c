import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct ForgettingTests {
    let network = MockNetwork()

    @Test(
        arguments: ["https", "http", "HTTPS", "ftp", "ws", "app"].map { "\($0)://127.0.0.1:1/a" }
            + ["file:///etc/hostname", "FILE:///etc/hostname", "data:text/plain,hello"])
    func answersEveryScheme(_ url: String) async throws {
        network.stub(.any, .text("mine"))

        let url = try #require(URL(string: url))
        let (data, _) = try await network.urlSession.data(for: URLRequest(url: url))

        #expect(data.text == "mine")
    }

    @Test func aRemovedStubIsAskedNoMore() async throws {
        network.stub(.get("/a"), .text("old"))
        let stub = network.stub(.get("/a"), .text("new"))
        let unused = network.stub(.get("/b"), .text("unused"))

        #expect(try await network.urlSession.exchange(.test("a")).0.text == "new")
        network.remove(stub)
        network.remove(stub)
        network.remove(unused)
        #expect(try await network.urlSession.exchange(.test("a")).0.text == "old")
        #expect(stub.callCount == 1)
        try network.verify()
    }

    @Test func withoutStubsTheHandlerAnswers() async throws {
        network.requestHandler = { _ in (HTTPURLResponse(), Data("handler".utf8)) }
        network.stub(.get("/a"), .text("stub"))
        network.stub(.get("/b"), .text("unused"))

        #expect(try await network.urlSession.exchange(.test("a")).0.text == "stub")
        network.removeAll()
        #expect(try await network.urlSession.exchange(.test("a")).0.text == "handler")
        try network.verify()
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func waitsForAnswers(_ transport: Transport) async throws {
        let held = network.stub(.get("/held"), .text("x").held)
        network.stub(.get("/now"), .text("x"))
        let (session, _) = try transport.open(network)
        let loads = ["held", "now"].map { path in
            Task { try await session.exchange(.test(path)) }
        }

        let first = await network.waitForResponses()
        #expect(first.map(\.request.url?.path) == ["/now"])
        await held.waitForRequests()
        held.release()
        let both = await network.waitForResponses(1, matching: .get("/held"))
        #expect(both.map(\.request.url?.path) == ["/held"])
        #expect(both.first?.endTime != nil)
        for load in loads { _ = try await load.value }
        #expect(await network.waitForResponses(2).count == 2)
    }
}
