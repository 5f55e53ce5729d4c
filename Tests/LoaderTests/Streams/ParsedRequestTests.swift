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
        let session = MockURLSession(network).observed { event in
            names.withLock { $0.append(event.requestType) }
        }

        let (elements, error) = await session.stream(.test("words"), words, name: name).outcome()

        #expect(elements == ["a"])
        #expect(error?.underlying as? StreamError == .unfinished(elementCount: 1))
        #expect(error?.requestType == name)
        // Started, opened, closed and rejected.
        #expect(names.withLock { $0 } == Array(repeating: name, count: 4))
    }

    @Test func refusesAResponseWithTheErrorOfItsClosure() async throws {
        network.stub(.get("/words"), .json(#"{"birthday":"May 1"}"#, status: 404), times: .any)
        let session = MockURLSession(network)

        let error = await session.stream(.test("words"), words) { data, response in
            if response.statusCode == 404 { throw Refusal(text: data.text) }
        }.outcome().error
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? Refusal == Refusal(text: #"{"birthday":"May 1"}"#))

        let standard = await session.stream(
            .test("words"), words, redaction: .standard.adding("birthday")
        ).outcome().error
        #expect(standard?.underlying is UnacceptableStatus)
        #expect(standard?.description.contains(#"{"birthday":"REDACTED"}"#) == true)
    }

    @MainActor @Test func parsesOnTheActorOfItsReader() async throws {
        network.stub(.get("/words"), .words("a"))
        let parser = ServerSentEvents().until(data: "[DONE]").map { _ in RunningPlace.current }

        var places = MockURLSession(network).stream(.test("words"), parser).makeAsyncIterator()

        #expect(try await places.next() == .mainActor)
    }
}
