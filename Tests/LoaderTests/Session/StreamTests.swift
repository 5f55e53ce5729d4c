import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A stream gives the same pieces, errors and records over each transport.
@Suite(.limited, .usesSockets) struct StreamTests {
    private let clock = MockClock()
    private let network: MockNetwork

    init() {
        network = MockNetwork(clock: clock)
    }

    /// Opens `/stream` over a transport.
    private func stream(_ transport: Transport) async throws -> (HTTPBody, HTTPURLResponse) {
        let (session, baseURL) = try transport.open(network)
        return try await session.stream(URLRequest(url: baseURL.appending(path: "stream")))
    }

    @Test(arguments: Transport.allCases)
    func givesTheHeadersBeforeTheBody(_ transport: Transport) async throws {
        network.stub(.get("/stream"), .chunks(["one ", "two ", "three"], every: .seconds(1)))

        let (body, response) = try await stream(transport)
        #expect(response.statusCode == 200)
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "one ")
        await clock.advance(by: .seconds(1))
        #expect(try await pieces.next()?.text == "two ")
        await clock.advance(by: .seconds(1))
        #expect(try await pieces.next()?.text == "three")
        #expect(try await pieces.next() == nil)
        #expect(try await pieces.next() == nil)
    }

    @Test(arguments: Transport.allCases)
    func givesTheWholeBodyOfAnyAnswer(_ transport: Transport) async throws {
        let rows: [(MockResponse, status: Int, text: String)] = [
            (.chunks(["one ", "two ", "three"]), 200, "one two three"), (.status(204), 204, ""),
            (.redirect(to: "/other", status: 307), 200, "other"),
            (
                .text("who?", status: 401).header("WWW-Authenticate", #"Basic realm="a""#), 401,
                "who?"
            ),
        ]
        network.stub(.get("/other"), .chunks(["oth", "er"]))
        for (answer, status, text) in rows {
            network.stub(.get("/stream"), answer)

            let (body, response) = try await stream(transport)

            #expect(response.statusCode == status)
            #expect(try await all(body).text == text)
            #expect(response.url?.path() == (text == "other" ? "/other" : "/stream"))
        }
    }

    @Test(arguments: Transport.allCases)
    func failsBeforeTheHeaders(_ transport: Transport) async throws {
        network.stub(.get("/stream"), .error(.networkConnectionLost))
        let error = await #expect(throws: URLError.self) { _ = try await stream(transport) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func givesWhatCameBeforeAnErrorInTheBody(_ transport: Transport) async throws {
        network.stub(.get("/stream"), .text("one two").failing(afterBytes: 4))

        let (body, _) = try await stream(transport)
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "one ")
        for _ in 1...2 {
            let error = await #expect(throws: URLError.self) { _ = try await pieces.next() }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    @Test func aBodyIsReadOnce() async throws {
        let pieces = Locked([Data("a".utf8)])
        let body = HTTPBody(unfolding: { pieces.withLock { $0.popLast() } })
        #expect(body.data == nil)
        #expect(try await all(body).text == "a")
        await #expect(throws: TransportError.bodyReadTwice) { _ = try await all(body) }
    }

    @Test func aCompleteBodyCanBeReadAgain() async throws {
        let body = HTTPBody(Data("a".utf8))
        #expect(body.data?.text == "a")
        for _ in 1...2 { #expect(try await all(body).text == "a") }
        #expect(try await all(HTTPBody(Data())).isEmpty)
    }

    // All of it exists before the reader does.
    @Test func givesABodyInPiecesThatIsLongerThanTheLimit() async throws {
        let bytes = Data((0..<100).map { UInt8($0) })
        network.stub(.any, .data(bytes).chunked(by: 10))
        let (body, _) = try await network.stream(.test("a"))
        #expect(try await all(body) == bytes)
    }

    @Test func aSessionThatCannotStreamReturnsACompleteBody() async throws {
        let session = FixedSession(Data("whole".utf8)).timingOut(
            after: .seconds(9), idle: .seconds(9)
        )
        .limited(to: 1).retrying()

        for _ in 1...2 { #expect(try await session.stream(.test("a")).0.data?.text == "whole") }
    }
}

/// Reads a whole body.
private func all(_ body: HTTPBody) async throws -> Data {
    var data = Data()
    for try await piece in body { data += piece }
    return data
}
