import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Streams that are long, endless, empty or malformed.
@Suite(.limited, .usesSockets) struct HardStreamTests {
    private let network = MockNetwork()

    /// A body that repeats a text and has no end.
    private func endless(_ text: String) -> BodySession {
        let piece = Data(text.utf8)
        return BodySession { HTTPBody(unfolding: { piece }) }
    }

    private func whole(_ text: String) -> BodySession {
        let piece = Data(text.utf8)
        return BodySession { HTTPBody(piece) }
    }

    @Test(arguments: [
        ("data: more", StreamError.lineTooLong(limit: 1_000)),
        ("data: more\n", .lineTooLong(limit: 1_000)),
    ])
    func endsWithAnEndlessLineOrEvent(_ text: String, _ expected: StreamError) async throws {
        let (events, error) = await endless(text).stream(EventsRequest(longestLine: 1_000))
            .outcome()
        #expect(events.isEmpty)
        #expect(error?.stage == .parse)
        #expect(error?.underlying as? StreamError == expected)
    }

    @Test func readsAnEndlessStreamUntilTheLoopIsLeft() async throws {
        var count = 0
        for try await event in endless("data: a\n\ndata: b\n\n").stream(EventsRequest()) {
            #expect(event.data == (count.isMultiple(of: 2) ? "a" : "b"))
            count += 1
            if count == 10_001 { break }
        }

        #expect(count == 10_001)
    }

    /// `data: one` and `data: two`, compressed with gzip.
    private static let compressed = Data(
        base64Encoded: "H4sIAAAAAAACA0tJLEm0UsjPS+XiSgEzS8rzubgAog1KPxYAAAA=")!

    private static let compressedResponse = MockResponse.data(
        compressed, contentType: "text/event-stream", headers: ["Content-Encoding": "gzip"])

    @Test func readsACompressedStreamFromASocket() async throws {
        let (session, baseURL) = try Transport.loopback.open(network)
        network.stub(.get("/events"), Self.compressedResponse)
        let endpoint = session.intercepting { request, next in
            try await next(URLRequest(url: baseURL.appending(path: "events")))
        }

        let (events, error) = await endpoint.stream(EventsRequest()).outcome()
        #expect(events.map(\.data) == ["one", "two"])
        #expect(error == nil)
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func saysThatNothingDecompressedTheStream(_ transport: Transport) async throws {
        let session = try transport.open(network).session
        network.stub(.get("/events"), Self.compressedResponse)

        let (events, error) = await session.stream(EventsRequest()).outcome()
        #expect(events.isEmpty)
        #expect(error?.stage == .parse)
        #expect(error?.underlying as? StreamError == .compressed)
    }

    @Test(arguments: Transport.allCases)
    func anEmptyBodyHasNoElements(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .text("", headers: ["Content-Type": "text/event-stream"]))
        let rerouted = session.intercepting { _, next in
            try await next(URLRequest(url: baseURL.appending(path: "words")))
        }

        let events = await rerouted.stream(EventsRequest()).outcome()
        #expect(events.elements.isEmpty)
        #expect(events.error == nil)

        // Where the end is marked, a body without the mark was cut.
        let words = await session.stream(WordsRequest(baseURL: baseURL), "/words").outcome()
        #expect(words.elements.isEmpty)
        #expect(words.error?.stage == .parse)
        #expect(words.error?.underlying as? StreamError == .unfinished(elementCount: 0))
    }

    @Test func deliversManyElementsOfOnePiece() async throws {
        let text = (0..<100_000).map { "data: \($0)\n\n" }.joined()

        let events = await whole(text).stream(EventsRequest()).outcome()
        #expect(events.elements.count == 100_000)
        #expect(events.elements.last?.data == "99999")
        #expect(events.error == nil)
    }
}
