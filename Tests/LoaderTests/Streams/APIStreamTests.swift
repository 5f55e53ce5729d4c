import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// The elements of a stream, and the stages in which it fails.
@Suite(.limited, .usesSockets) struct APIStreamTests {
    private typealias Word = WordsRequest.Word

    // Only a test moves the clock.
    private let clock = MockClock()
    private let network: MockNetwork

    init() { network = MockNetwork(clock: clock) }

    @Test(arguments: Transport.allCases)
    func deliversEachElementAsItArrives(_ transport: Transport) async throws {
        // The reader is the test itself.
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", every: .seconds(1)))

        var words = session.stream(WordsRequest(baseURL: baseURL), "/words").makeAsyncIterator()
        #expect(words.response == nil)
        for text in ["a", "b"] {
            #expect(try await words.next()?.text == text)
            #expect(words.response?.statusCode == 200)
            await clock.advance(by: .seconds(1))
        }
        for _ in 1...2 { #expect(try await words.next() == nil) }
    }

    @Test(arguments: Transport.allCases, [true, false])
    func theTerminatorOrTheEndOfTheLoopEndsTheTransfer(
        _ transport: Transport, isTerminated: Bool
    ) async throws {
        let (session, baseURL) = try transport.open(network)
        let first = MockResponse.event("a") + (isTerminated ? "data: [DONE]\n\n" : "")
        network.stub(.get("/words"), events(first, "more", every: .seconds(9)))
        let words = session.stream(WordsRequest(baseURL: baseURL), "/words")
        #expect(await words.outcome(limit: isTerminated ? .max : 1).elements == [Word(text: "a")])
        await network.waitForResponses(1)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test(arguments: Transport.allCases) func endsWithTheTask(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", every: .seconds(9)))
        let arrived = Gate()
        let reader = Task {
            var words = session.stream(WordsRequest(baseURL: baseURL), "/words").makeAsyncIterator()
            _ = try await words.next()
            arrived.open()
            let error = await #expect(throws: APIRequestError.self) { try await words.next() }
            #expect(try await words.next() == nil)
            return error
        }

        await arrived.wait()
        reader.cancel()
        let error = try await reader.value
        #expect(error?.isCancellation == true)
        #expect(error?.response?.statusCode == 200)
        await network.waitForResponses(1)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func aCancelledTaskGetsNoElementThatWaits() async throws {
        let session = FixedSession(Data("data: a\n\ndata: b\n\n".utf8))
        try await Task {
            var events = session.stream(EventsRequest()).makeAsyncIterator()
            let first = try await events.next()
            #expect(first?.data == "a")
            withUnsafeCurrentTask { $0?.cancel() }
            let error = await #expect(throws: APIRequestError.self) { try await events.next() }
            #expect(error?.isCancellation == true)
        }.value
    }

    @Test(arguments: Transport.allCases)
    func deliversWhatArrivedBeforeTheConnectionWasLost(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        let first = MockResponse.event("a")
        network.stub(.get("/words"), .words("a", "b").failing(afterBytes: first.utf8.count + 5))

        var words = session.stream(WordsRequest(baseURL: baseURL), "/words").makeAsyncIterator()
        #expect(try await words.next() == Word(text: "a"))
        let error = await #expect(throws: APIRequestError.self) { try await words.next() }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == false)
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
        #expect(error?.statusCode == 200)
        #expect(try await words.next() == nil)
    }

    @Test func deliversWhatArrivedBeforeAnElementThatCannotBeParsed() async throws {
        network.stub(
            .get("/words"),
            events(MockResponse.event("a") + "data: {\"text\":7}\n\n" + MockResponse.event("c")))
        let log = EventLog()
        let session = network.observed(by: log)

        let (words, error) = await session.stream(WordsRequest(), "/words").outcome()
        #expect(words.map(\.text) == ["a"])
        #expect(error?.stage == .parse)
        #expect(error?.underlying is DecodingError)
        #expect(error?.data == Data(#"{"text":7}"#.utf8))
        #expect(try error?.decodeBody([String: Int].self) == ["text": 7])
        #expect(
            error?.description == """
                WordsRequest: GET https://api.example.com/words got a response that could not be \
                parsed (stage .parse).
                The server responded with 200 (OK).
                At $.text: expected String, found a number.
                Element: {"text":7}
                curl 'https://api.example.com/words'
                """)
        // The session is informed, as of every load that fails after its exchange.
        #expect(log.lines.last == error.map { ExchangeEvent(rejected: $0, id: 1).description })
    }

    @Test(arguments: Transport.allCases)
    func deliversWhatAMappedParserReturnedBeforeItsError(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        let piece = ["a", "b", "bad", "c"].map(MockResponse.event).joined()
        network.stub(.get("/words"), events(piece, "more", every: .seconds(9)))
        let parser = ServerSentEvents().until(data: "[DONE]").json(Word.self).map { word in
            if word.text == "bad" { throw TestError() }
            return word.text.uppercased()
        }
        let request = URLRequest(url: baseURL.appending(path: "words"))
        var words = session.stream(request, parser).makeAsyncIterator()

        #expect(try await words.next() == "A")
        // The parser has thrown, so nothing more is received.
        await network.waitForResponses()
        #expect(network.requests.map(\.wasCancelled) == [true])
        #expect(try await words.next() == "B")
        let error = await #expect(throws: APIRequestError.self) { try await words.next() }
        #expect(error?.stage == .parse)
        #expect(error?.underlying is TestError)
        #expect(try await words.next() == nil)
    }

    @Test func copiesOfAnIteratorShareTheElements() async throws {
        network.stub(.get("/words"), .words("a", "b", "c"))
        var words = network.stream(WordsRequest(), "/words").makeAsyncIterator()
        var copy = words
        #expect(try await words.next()?.text == "a")
        #expect(try await copy.next()?.text == "b")
        #expect(try await words.next()?.text == "c")
        #expect(try await copy.next() == nil)
        #expect(network.requests.count == 1)
    }

    @Test func asksForOnePieceAtATime() async throws {
        let asked = Locked(0)
        let session = BodySession {
            asked.next()
            return Data(MockResponse.event("a").utf8)
        }
        let stream = session.stream(WordsRequest(), "/words")

        // In another task.
        try await Task.detached {
            var words = stream.makeAsyncIterator()
            for count in 1...3 {
                #expect(asked.withLock { $0 } == count - 1)
                let word = try await words.next()
                #expect(word?.text == "a")
            }
        }.value
    }

    @Test func sendsNothingIfTheRequestCannotBeMade() async throws {
        let error = await network.stream(WordsRequest(), "/{missing}").outcome().error
        #expect(error?.stage == .makeRequest)
        #expect(network.requests.isEmpty)
    }
}

/// The stream of a `URLRequest`.
@Suite(.limited, .usesSockets) struct ParsedRequestTests {
    private typealias Word = WordsRequest.Word

    private let network = MockNetwork()

    private var words: some StreamParser<String> {
        ServerSentEvents().until(data: "[DONE]").json(Word.self).map(\.text)
    }

    @Test(arguments: ["words.list", nil]) func namesItsExchanges(_ name: String?) async throws {
        network.stub(.get("/words"), events(MockResponse.event("a")))
        let log = EventLog()
        let session = network.observed(by: log)
        let (elements, error) = await session.stream(.test("words"), words, name: name).outcome()
        #expect(elements == ["a"])
        #expect(error?.underlying as? StreamError == .unfinished(elementCount: 1))
        #expect(error?.requestType == name)
        // Started, opened, closed and rejected.
        #expect(log.events.map(\.requestType) == Array(repeating: name, count: 4))
    }

    @Test(arguments: Transport.allCases)
    func parsesABodyThatIsOpen(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b").header("X-Model", "m"))
        let request = try URLRequest("GET", baseURL, path: "/words")

        let (body, response) = try await session.stream(request)
        #expect(response.value(forHTTPHeaderField: "X-Model") == "m")
        let elements = body.elements(words)
        #expect(await elements.outcome().elements == ["a", "b"])

        // A body can be read once.
        let again = await elements.outcome().error
        #expect(again?.underlying as? TransportError == .bodyReadTwice)
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func theErrorOfAnOpenBodyHasItsRequest(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), events(MockResponse.event("a"), "data: {\n\n"))
        network.stub(.get("/page"), .text("<html>", status: 200))
        let log = EventLog()

        let request = try URLRequest("GET", baseURL, path: "/words")
        let (body, _) = try await session.observed(by: log).stream(request)
        let (elements, error) = await body.elements(words).outcome()
        #expect(elements == ["a"])
        #expect(error?.stage == .parse)
        #expect(error?.request?.url?.path == "/words")
        #expect(error?.statusCode == 200)
        #expect(error?.data?.text == "{")
        #expect(log.lines.last == error.map { ExchangeEvent(rejected: $0, id: 1).description })

        let (page, _) = try await session.stream(URLRequest("GET", baseURL, path: "/page"))
        let refused = await page.elements(words).outcome().error
        let reason = StreamError.unexpectedContentType(
            found: "text/plain", expected: ["text/event-stream"])
        #expect(refused?.underlying as? StreamError == reason)
        #expect(refused?.data?.text == "<html>")
    }

    @Test func parsesABodyOfTheApp() async {
        let whole = HTTPBody(Data("data: {\"text\":\"a\"}\n\n".utf8))
        let (elements, error) = await whole.elements(words).outcome()
        #expect(elements == ["a"])
        #expect(error?.underlying as? StreamError == .unfinished(elementCount: 1))
        #expect(error?.request == nil)
    }

    @MainActor @Test func parsesOnTheActorOfItsReader() async throws {
        network.stub(.get("/words"), .words("a"))
        let parser = ServerSentEvents().until(data: "[DONE]").map { _ in RunningPlace.current }
        var places = network.stream(.test("words"), parser).makeAsyncIterator()
        #expect(try await places.next() == .mainActor)
    }
}
