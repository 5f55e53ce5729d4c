import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A stream gives the same pieces, errors and records over each transport.
@Suite(.limited, .usesSockets) struct StreamTests {
    private let network = MockNetwork()

    /// Opens `/stream` over a transport.
    private func stream(_ transport: Transport) async throws -> (HTTPBody, HTTPURLResponse) {
        let (session, baseURL) = try transport.open(network)
        return try await session.stream(URLRequest(url: baseURL.appending(path: "stream")))
    }

    @Test(arguments: Transport.allCases)
    func givesTheWholeBodyOfAnyResponse(_ transport: Transport) async throws {
        let rows: [(MockResponse, status: Int, text: String)] = [
            (.chunks(["one ", "two ", "three"]), 200, "one two three"), (.status(204), 204, ""),
            (.redirect(to: "/other", status: 307), 200, "other"),
            (.text("?", status: 401).header("WWW-Authenticate", #"Basic realm="a""#), 401, "?"),
        ]
        network.stub(.get("/other"), .chunks(["oth", "er"]))
        for (mockResponse, status, text) in rows {
            network.stub(.get("/stream"), mockResponse)
            let (body, response) = try await stream(transport)
            #expect(response.statusCode == status)
            #expect(try await body.collect().text == text)
            #expect(response.url?.path() == (text == "other" ? "/other" : "/stream"))
        }
    }

    @Test(arguments: Transport.allCases)
    func givesWhatCameBeforeAnErrorInTheBody(_ transport: Transport) async throws {
        network.stub(.get("/stream"), .text("one two").failing(afterBytes: 4))
        let (body, _) = try await stream(transport)
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "one ")
        for _ in 1...2 {
            let error = await #expect(throws: URLError.self) { try await pieces.next() }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    @Test(arguments: ["", "a"], [true, false])
    func aCancelledReaderOfACompleteBodyThrows(_ text: String, isComplete: Bool) async throws {
        let body = isComplete ? HTTPBody(Data(text.utf8)) : HTTPBody([Data(text.utf8)])
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var pieces = body.makeAsyncIterator()
            return try await pieces.next()
        }
        await #expect(throws: URLError(.cancelled)) { try await reader.value }
    }

    @Test func aCompleteBodyCanBeReadAgain() async throws {
        let body = HTTPBody(Data("a".utf8))
        #expect(body.data?.text == "a")
        for _ in 1...2 { #expect(try await body.all().map(\.text) == ["a"]) }
        #expect(try await HTTPBody(Data()).all().isEmpty)
    }

    @Test func aSessionThatCannotStreamReturnsACompleteBody() async throws {
        let session = FixedSession(Data("whole".utf8))
            .timingOut(after: .seconds(9), idle: .seconds(9), clock: MockClock())
            .limited(to: 1).retrying(clock: MockClock())
        for _ in 1...2 { #expect(try await session.stream(.test("a")).0.data?.text == "whole") }
    }
}

/// Bodies whose pieces a function changes.
@Suite(.limited, .usesSockets) struct MappedBodyTests {
    private struct Refusal: Error {}

    private static func upper(_ piece: Data) -> Data { Data(piece.text.uppercased().utf8) }

    private let network = MockNetwork()

    private func body(_ pieces: String...) -> HTTPBody { HTTPBody(pieces.map { Data($0.utf8) }) }

    @Test func aCompleteBodyStaysComplete() async throws {
        let body = HTTPBody(Data("ab".utf8)).map(Self.upper)
        #expect(body.data?.text == "AB")
        #expect(throws: Refusal.self) { try HTTPBody(Data()).map { _ in throw Refusal() } }
    }

    @Test func changesEachPieceAndDropsEmptyOnes() async throws {
        let mapped = body("a", "", "-", "b").map { $0.text == "-" ? Data() : Self.upper($0) }
        #expect(mapped.data == nil)
        #expect(try await mapped.all().map(\.text) == ["A", "B"])
        await #expect(throws: TransportError.bodyReadTwice) { try await mapped.all() }
    }

    @Test func givesTheErrorOfTheFunctionToTheReader() async throws {
        let mapped = try body("a", "bad", "b").map {
            if $0.text == "bad" { throw Refusal() }
            return $0
        }
        var pieces = mapped.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "a")
        await #expect(throws: Refusal.self) { try await pieces.next() }
    }

    @Test func readsTheBodyThroughTheReturnedOneOnly() async throws {
        let body = body("a")
        let mapped = body.map(Self.upper)
        await #expect(throws: TransportError.bodyReadTwice) { try await body.all() }
        #expect(try await mapped.all().map(\.text) == ["A"])
    }

    @Test(arguments: Transport.allCases)
    func changesStreamsAndWholeResponses(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/a"), .chunks(["a", "b"]), times: .any)
        let upper = session.intercepting { request, next in
            let (body, response) = try await next(request)
            return (body.map(Self.upper), response)
        }
        let request = URLRequest(url: baseURL.appending(path: "a"))
        #expect(try await upper.exchange(request).0.text == "AB")
        #expect(try await upper.stream(request).0.collect().text == "AB")
    }
}

/// A session that sends its requests through a function of the app.
@Suite(.limited) struct ClosureSessionTests {
    @Test func sendsThroughTheClosure() async throws {
        let network = MockNetwork()
        network.stub(.get("/a"), .status(503), .text("body"), .text("stream"))
        let urlSession = network.urlSession
        let session = ClosureSession { try await urlSession.data(for: $0) }
            .retrying(clock: MockClock(), random: { 0 })
        #expect(try await session.load(TextRequest(), "/a") == "body")
        let (body, response) = try await session.stream(.test("a"))
        #expect(response.statusCode == 200)
        #expect(try await body.collect().text == "stream")
        #expect(network.requests.count == 3)
    }

    @Test func throwsTheErrorOfTheClosure() async throws {
        let url = URL.api.appending(path: "a")
        let failing = ClosureSession { _ in throw TestError(number: 1) }
        let plain = ClosureSession { _ in (Data(), .notHTTP(url)) }
        await #expect(throws: TestError(number: 1)) { try await failing.exchange(.test("a")) }
        await #expect(throws: TransportError.notHTTP(url)) { try await plain.exchange(.test("a")) }
    }

    @Test func cancellingTheTaskCancelsTheClosure() async throws {
        let arrived = Gate()
        let session = ClosureSession { _ in
            arrived.open()
            _ = try await waitForCancellation()
            throw TestError()
        }
        let load = Task { try await session.load(TextRequest(), "/a") }
        await arrived.wait()

        load.cancel()
        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
    }
}
