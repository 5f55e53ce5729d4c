import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Streams.md about events that reconnect.
@Suite(.limited) private struct EventsSamples {
    private let url = URL(string: "https://api.example.com/events")!

    private func show(_ text: String) {}

    @Test func continuesOverSeveralConnections() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/events"),
            .chunks(["id: 1\ndata: a\n\n"], contentType: "text/event-stream"), .status(204))
        let session = MockURLSession(network)

        var lastEventID = ""
        var request = URLRequest(url: url)
        request.timeoutInterval = 3_600  // the longest silence of the server

        for try await event in session.events(
            request, after: lastEventID, reconnecting: RetryPolicy(baseDelay: .zero))
        {
            show(event.data)
            lastEventID = event.id
        }

        #expect(lastEventID == "1")
    }

    @Test func sendsTheLastEventIDAgain() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(
            .get("/events"),
            .chunks(
                ["retry: 5000\nid: 7\ndata: a\n\n"], contentType: "text/event-stream"),
            .status(204))
        let stream = MockURLSession(network)
            .events(URLRequest(url: url), clock: clock, random: { 0 })

        async let texts: [String] = stream.reduce(into: []) { $0.append($1.data) }
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(5)])
        await clock.advance(by: .seconds(5))

        #expect(try await texts == ["a"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "7"])
    }

    private struct NewsRequest: APIRequest {
        func makeRequest(from topic: String) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/news/{topic}",
                ["topic": topic])
        }

        func parseResponse(data: Data) throws {}
    }

    @Test func receivesTheEventsOfARequest() async throws {
        let network = MockNetwork()
        network.stub(.get("/news/sport"), .events(["a"]), .status(403))
        let session = MockURLSession(network)

        let news = NewsRequest()
        let request = try news.makeRequest(from: "sport")
        let events = session.events(request, validate: news.validateResponse)

        #expect(try await events.first { _ in true }?.data == "a")
    }

    @Sendable private static func decrypt(_ piece: Data) throws -> Data { Data(piece.reversed()) }

    @Test func changesThePieces() async throws {
        let network = MockNetwork()
        network.stub(.get("/events"), .text("abc"))
        let session = MockURLSession(network)
        let decrypt = Self.decrypt

        let decrypting = session.intercepting { request, next in
            let (body, response) = try await next(request)
            return (try body.map(decrypt), response)
        }

        #expect(try await decrypting.exchange(URLRequest(url: url)).0 == Data("cba".utf8))
    }

    @Test func readsTheBytes() async throws {
        let network = MockNetwork()
        network.stub(.get("/events"), .chunks(["one\n", "two\n"]))
        let session = MockURLSession(network)
        let request = URLRequest(url: url)
        var received = 0

        let (body, response) = try await session.stream(request)
        for try await piece in body { received += piece.count }

        #expect(response.statusCode == 200)
        #expect(received == 8)
    }
}
