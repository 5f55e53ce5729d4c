import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The stream of a `URLRequest`.
@Suite(.limited, .usesSockets) struct ParsedRequestTests {
    private typealias Word = WordsRequest.Word

    private struct Refusal: Error, Equatable {
        var text: String
    }

    private let network = MockNetwork()

    private var words: some StreamParser<String> {
        ServerSentEvents().until(data: "[DONE]").json(Word.self).map(\.text)
    }

    @Test(arguments: Transport.allCases)
    func deliversTheElements(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b"))
        let request = try URLRequest("GET", baseURL, path: "/words")

        let stream = session.stream(request, words)
        #expect(network.requests.isEmpty)
        // Each iterator parses one response from its beginning.
        for _ in 1...2 { #expect(await stream.outcome().elements == ["a", "b"]) }
        #expect(network.requests.count == 2)
    }

    @Test(arguments: ["words.list", nil])
    func namesItsExchanges(_ name: String?) async throws {
        network.stub(
            .get("/words"), .chunks([MockResponse.event("a")], contentType: "text/event-stream"))
        let names = Locked<[String?]>([])
        let session = network.observed { event in names.withLock { $0.append(event.requestType) } }

        let (elements, error) = await session.stream(.test("words"), words, name: name).outcome()
        #expect(elements == ["a"])
        #expect(error?.underlying as? StreamError == .unfinished(elementCount: 1))
        #expect(error?.requestType == name)
        // Started, opened, closed and rejected.
        #expect(names.withLock { $0 } == Array(repeating: name, count: 4))
    }

    @Test func refusesAResponseWithTheErrorOfItsClosure() async throws {
        network.stub(.get("/words"), .json(#"{"birthday":"May 1"}"#, status: 404), times: .any)
        let session = network

        let error = await session.stream(.test("words"), words) { data, response in
            if response.statusCode == 404 { throw Refusal(text: data.text) }
        }.outcome().error
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? Refusal == Refusal(text: #"{"birthday":"May 1"}"#))

        let standard = await session.stream(
            .test("words"), words, redaction: .standard.adding("birthday")
        ).outcome().error
        #expect(standard?.underlying is UnacceptableStatusError)
        #expect(standard?.description.contains(#"{"birthday":"REDACTED"}"#) == true)
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
        network.stub(
            .get("/words"),
            .chunks([MockResponse.event("a"), "data: {\n\n"], contentType: "text/event-stream"))
        network.stub(.get("/page"), .text("<html>", status: 200))
        let rejected = Locked<[ExchangeEvent]>([])
        let observed = session.observed { event in
            if case .rejected = event.kind { rejected.withLock { $0.append(event) } }
        }

        let (body, _) = try await observed.stream(URLRequest("GET", baseURL, path: "/words"))
        let (elements, error) = await body.elements(words).outcome()
        #expect(elements == ["a"])
        #expect(error?.stage == .parse)
        #expect(error?.request?.url?.path == "/words")
        #expect(error?.statusCode == 200)
        #expect(error?.data?.text == "{")
        #expect(rejected.withLock { $0.map(\.id) } == [1])

        let (page, _) = try await session.stream(URLRequest("GET", baseURL, path: "/page"))
        let refused = await page.elements(words).outcome().error
        #expect(refused?.underlying is StreamError)
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
