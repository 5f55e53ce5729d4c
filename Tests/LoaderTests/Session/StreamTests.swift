import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A stream gives the same pieces, errors and records over each transport.
@Suite(.limited, .usesSockets) struct StreamTests {
    private func request(_ baseURL: URL) -> URLRequest {
        URLRequest(url: baseURL.appending(path: "stream"))
    }

    @Test(arguments: Transport.allCases)
    func givesTheHeadersBeforeTheBody(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .chunks(["one ", "two ", "three"], every: .seconds(1)))

        let (body, response) = try await session.stream(request(baseURL))
        #expect(response.statusCode == 200)

        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next().map(text) == "one ")
        await clock.advance(by: .seconds(1))
        #expect(try await pieces.next().map(text) == "two ")
        await clock.advance(by: .seconds(1))
        #expect(try await pieces.next().map(text) == "three")
        #expect(try await pieces.next() == nil)
        #expect(try await pieces.next() == nil)
    }

    @Test(arguments: Transport.allCases)
    func joinsThePiecesThatWait(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .chunks(["one ", "two ", "three"]))

        let (body, _) = try await session.stream(request(baseURL))

        #expect(try await text(all(body)) == "one two three")
    }

    @Test(arguments: Transport.allCases)
    func givesAnEmptyBody(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .status(204))

        let (body, response) = try await session.stream(request(baseURL))

        #expect(response.statusCode == 204)
        #expect(try await all(body).isEmpty)
    }

    @Test(arguments: Transport.allCases)
    func followsARedirect(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .redirect(to: "/other", status: 307))
        network.stub(.get("/other"), .chunks(["a", "b"]))

        let (body, response) = try await session.stream(request(baseURL))

        #expect(response.url?.path() == "/other")
        #expect(try await text(all(body)) == "ab")
    }

    @Test(arguments: Transport.allCases)
    func givesTheBodyOfARefusal(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .get("/stream"),
            .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))

        let (body, response) = try await session.stream(request(baseURL))

        #expect(response.statusCode == 401)
        #expect(try await text(all(body)) == "who?")
    }

    @Test(arguments: Transport.allCases)
    func failsBeforeTheHeaders(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .error(.networkConnectionLost))

        let error = await #expect(throws: URLError.self) {
            _ = try await session.stream(request(baseURL))
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: Transport.allCases)
    func givesWhatCameBeforeAnErrorInTheBody(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .text("one two").failing(afterBytes: 4))

        let (body, _) = try await session.stream(request(baseURL))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next().map(text) == "one ")
        for _ in 1...2 {
            let error = await #expect(throws: URLError.self) { _ = try await pieces.next() }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    enum Leaving: CaseIterable {
        case loop, body, task
    }

    @Test(arguments: Transport.allCases, Leaving.allCases)
    func endsTheTransferWhenTheReaderLeaves(
        _ transport: Transport, _ leaving: Leaving
    ) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .chunks(["one", "two"], every: .seconds(1)))
        let request = request(baseURL)

        switch leaving {
        case .loop:
            let (body, _) = try await session.stream(request)
            for try await _ in body { break }
            await network.waitForResponses(1)
            _ = body
        case .body:
            _ = try await session.stream(request)
            await network.waitForResponses(1)
        case .task:
            let reading = Gate()
            let reader = Task {
                let (body, _) = try await session.stream(request)
                for try await _ in body { reading.open() }
            }
            await reading.wait()
            reader.cancel()
            let result = await reader.result
            #expect(throws: URLError(.cancelled)) { try result.get() }
            await network.waitForResponses(1)
        }

        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test(arguments: Transport.allCases)
    func sendsNothingInACancelledTask(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/stream"), .text("a"), times: .any)
        let request = request(baseURL)

        let result = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await session.stream(request)
        }.result

        #expect(throws: URLError(.cancelled)) { try result.get() }
        #expect(network.requests.isEmpty)
    }

    @Test func aBodyIsReadOnce() async throws {
        let pieces = Locked([Data("a".utf8)])
        let body = HTTPBody(unfolding: { pieces.withLock { $0.popLast() } })

        #expect(body.data == nil)
        #expect(try await text(all(body)) == "a")
        await #expect(throws: TransportError.bodyReadTwice) { _ = try await all(body) }
    }

    @Test func aCompleteBodyCanBeReadAgain() async throws {
        let body = HTTPBody(Data("a".utf8))

        #expect(body.data?.text == "a")
        for _ in 1...2 { #expect(try await text(all(body)) == "a") }
        #expect(try await all(HTTPBody(Data())).isEmpty)
    }

    // All of it exists before the reader does.
    @Test func givesABodyInPiecesThatIsLongerThanTheLimit() async throws {
        let network = MockNetwork()
        let bytes = Data((0..<100).map { UInt8($0) })
        network.stub(.any, .data(bytes).chunked(by: 10))

        let (body, _) = try await MockURLSession(network)
            .stream(.test("a"))
        var received = Data()
        for try await piece in body { received += piece }

        #expect(received == bytes)
    }

    @Test func boundsWhatWaits() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.get("/stream"), .chunks(["1234", "5678", "9"], every: .seconds(1)))

        let (body, _) = try await MockURLSession(network)
            .stream(request(URL(string: "https://api.example.com")!), buffering: 8)
        await clock.advance(by: .seconds(2))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next().map(text) == "12345678")
        await #expect(throws: TransportError.bodyLimit(8)) { _ = try await pieces.next() }
    }

    @Test func aSessionThatCannotStreamReturnsACompleteBody() async throws {
        let session = FixedSession(Data("whole".utf8)).timingOut(
            after: .seconds(9), idle: .seconds(9)
        )
        .limited(to: 1).retrying()

        for _ in 1...2 { #expect(try await session.stream(.test("a")).0.data?.text == "whole") }
    }

    @Test func aBodyIsMadeOfAFunction() async throws {
        let numbers = Locked(0)
        let body = HTTPBody {
            let number = numbers.withLock { number in
                number += 1
                return number
            }
            return number < 4 ? Data("\(number)".utf8) : nil
        }

        #expect(try await text(all(body)) == "123")
    }
}

private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

/// Reads a whole body.
private func all(_ body: HTTPBody) async throws -> Data {
    var data = Data()
    for try await piece in body { data += piece }
    return data
}
