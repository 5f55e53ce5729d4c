import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The elements of a stream, and the stages in which it fails.
@Suite(.limited, .usesSockets) struct APIStreamTests {
    private typealias Word = WordsRequest.Word

    // Only a test moves the clock.
    private let clock = MockClock()
    private let network: MockNetwork

    init() {
        network = MockNetwork(clock: clock)
    }

    @Test(arguments: Transport.allCases)
    func deliversEachElementAsItArrives(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", every: .seconds(1)))

        var words = session.stream(WordsRequest(baseURL: baseURL), "/words").makeAsyncIterator()
        #expect(words.response == nil)
        #expect(try await words.next() == Word(text: "a"))
        #expect(words.response?.statusCode == 200)
        await clock.advance(by: .seconds(1))
        #expect(try await words.next() == Word(text: "b"))
        await clock.advance(by: .seconds(1))
        #expect(try await words.next() == nil)
        #expect(try await words.next() == nil)
    }

    @Test func loadsAllElementsAtOnceToo() async throws {
        network.stub(.get("/words"), .words("a", "b"))
        let words = try await network.load(WordsRequest(), "/words")
        #expect(words.map(\.text) == ["a", "b"])
    }

    @Test(arguments: Transport.allCases, [true, false])
    func theTerminatorOrTheEndOfTheLoopEndsTheTransfer(
        _ transport: Transport, isTerminated: Bool
    ) async throws {
        let (session, baseURL) = try transport.open(network)
        let first = MockResponse.event("a") + (isTerminated ? "data: [DONE]\n\n" : "")
        network.stub(
            .get("/words"),
            .chunks([first, "more"], every: .seconds(9), contentType: "text/event-stream"))

        var words: [String] = []
        for try await word in session.stream(WordsRequest(baseURL: baseURL), "/words") {
            words.append(word.text)
            if !isTerminated { break }
        }

        #expect(words == ["a"])
        await network.waitForResponses(1)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test(arguments: Transport.allCases)
    func endsWithTheTask(_ transport: Transport) async throws {
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
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == true)
        #expect(error?.response?.statusCode == 200)
        await network.waitForResponses(1)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func aCancelledTaskGetsNoElementThatWaits() async throws {
        let events = Data("data: a\n\ndata: b\n\n".utf8)
        let session = BodySession { HTTPBody(events) }

        let (words, error) = await Task {
            var words: [String] = []
            do throws(APIRequestError) {
                for try await event in session.stream(EventsRequest()) {
                    words.append(event.data)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return (words, APIRequestError?.none)
            } catch {
                return (words, error)
            }
        }.value

        #expect(words == ["a"])
        #expect(error?.isCancellation == true)
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
            .text(
                MockResponse.event("a") + "data: {\"text\":7}\n\n" + MockResponse.event("c"),
                headers: ["Content-Type": "text/event-stream"]))
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
                WordsRequest: GET https://api.example.com/words got an answer that could not be \
                parsed (stage .parse).
                The server answered 200 (OK).
                At $.text: expected String, found a number.
                Element: {"text":7}
                curl 'https://api.example.com/words'
                """)
        // The session is informed, as of every load that fails after its exchange.
        #expect(log.lines.last == error.map { ExchangeEvent(rejected: $0, id: 1).description })
    }

    /// Its parser refuses a word.
    private struct ShoutsRequest: StreamedAPIRequest {
        struct Refusal: Error {}

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from: Void) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/words")
        }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<String> {
            ServerSentEvents().until(data: "[DONE]").json(Word.self).map { word in
                if word.text == "bad" { throw Refusal() }
                return word.text.uppercased()
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func deliversWhatAMappedParserReturnedBeforeItsError(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        let piece = ["a", "b", "bad", "c"].map(MockResponse.event).joined()
        network.stub(
            .get("/words"),
            .chunks([piece, "more"], every: .seconds(9), contentType: "text/event-stream"))
        var words = session.stream(ShoutsRequest(baseURL: baseURL)).makeAsyncIterator()

        #expect(try await words.next() == "A")
        // The parser has thrown, so nothing more is received.
        await network.waitForResponses()
        #expect(network.requests.map(\.wasCancelled) == [true])
        #expect(try await words.next() == "B")
        let error = await #expect(throws: APIRequestError.self) { try await words.next() }
        #expect(error?.stage == .parse)
        #expect(error?.underlying is ShoutsRequest.Refusal)
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

    /// A stream in the type of a public API, which asks for a piece when its reader does.
    private func unfolding(
        _ stream: APIStream<WordsRequest>
    ) -> AsyncThrowingStream<String, any Error> {
        let words = stream.makeAsyncIterator()
        return AsyncThrowingStream(unfolding: {
            var words = words
            do throws(APIRequestError) {
                return try await words.next()?.text
            } catch {
                throw error.underlying
            }
        })
    }

    @Test func aStreamInAnotherTypeAsksForOnePieceAtATime() async throws {
        let event = Data(MockResponse.event("a").utf8)
        let asked = Locked(0)
        let session = BodySession {
            HTTPBody(unfolding: {
                asked.withLock { $0 += 1 }
                return event
            })
        }

        var words = unfolding(session.stream(WordsRequest(), "/words")).makeAsyncIterator()
        #expect(asked.withLock { $0 } == 0)
        for count in 1...3 {
            #expect(try await words.next() == "a")
            #expect(asked.withLock { $0 } == count)
        }
    }

    @Test(arguments: Transport.allCases)
    func aStreamInAnotherTypeEndsItsTransfer(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", every: .seconds(9)))

        for try await word in unfolding(
            session.stream(WordsRequest(baseURL: baseURL), "/words"))
        {
            #expect(word == "a")
            break
        }

        await network.waitForResponses()
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func anotherTaskReadsAStream() async throws {
        network.stub(.get("/words"), .words("a"), .status(503))
        let stream = network.stream(WordsRequest(), "/words")

        #expect(try await Task.detached { try await stream.first { _ in true }?.text }.value == "a")
        await #expect(throws: UnacceptableStatusError.self) {
            for try await _ in unfolding(stream) {}
        }
    }

    @Test func sendsNothingIfTheRequestCannotBeMade() async throws {

        let error = await network.stream(WordsRequest(), "/{missing}").outcome().error
        #expect(error?.stage == .makeRequest)
        #expect(network.requests.isEmpty)
    }
}
