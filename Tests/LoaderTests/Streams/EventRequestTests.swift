import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The events of an `APIRequest`: its `URLRequest`, its `validateResponse` and its name.
@Suite(.limited) struct EventRequestTests {
    private struct NewsRequest: APIRequest {
        struct Refusal: Error, Equatable { var text: String }

        func makeRequest(from topic: String) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/news/{topic}",
                ["topic": topic])
        }

        func validateResponse(data: Data, response: HTTPURLResponse) throws {
            guard 200..<300 ~= response.statusCode else { throw Refusal(text: data.text) }
        }

        func parseResponse(data: Data) throws { Issue.record("not called") }
    }

    private let network = MockNetwork()
    private let request = NewsRequest()
    private let atOnce = RetryPolicy(maximumAttempts: 3, baseDelay: .zero, deadline: nil)

    private func events(_ text: String) -> MockResponse {
        .chunks([text], contentType: "text/event-stream")
    }

    /// The data of all events of the topic `a`.
    private func all() async throws -> [String] {
        let events = network.events(
            try request.makeRequest(from: "a"), reconnecting: atOnce, name: "NewsRequest",
            validate: request.validateResponse, clock: ImmediateClock())
        return try await events.reduce(into: []) { $0.append($1.data) }
    }

    @Test func validatesEachConnection() async throws {
        network.stub(
            .get("/news/a"), events("id: 1\ndata: a\n\n"), .status(503),
            events("id: 2\ndata: b\n\n"), .status(204))

        // The request accepts a 204, and refuses a 503 with an error of its own.
        #expect(try await all() == ["a", "b"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "1", "2"])
    }

    private struct Headline: Decodable, Equatable { var title: String }

    /// The titles, and the error that ended them.
    private func titles() async throws -> ([String], APIRequestError?) {
        var headlines = network.events(
            try request.makeRequest(from: "a"), reconnecting: atOnce, clock: ImmediateClock()
        ).json(Headline.self).makeAsyncIterator()
        var titles: [String] = []
        do throws(APIRequestError) {
            while let headline = try await headlines.next() { titles.append(headline.title) }
            #expect(try await headlines.next() == nil)
            return (titles, nil)
        } catch {
            #expect((try? await headlines.next()) == .some(nil))
            return (titles, error)
        }
    }

    @Test func decodesTheEventsOfAllConnections() async throws {
        network.stub(
            .get("/news/a"), events("id: 1\ndata: {\"title\":\"A\"}\n\nid: 2\ndata:\n\n"),
            events("data: {\"title\":\"B\"}\n\n"), .status(204))

        #expect(try await titles().0 == ["A", "B"])
        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "2", "2"])
    }

    @Test(arguments: ["data: {}\n\n", "event: error\ndata: {\"code\":1}\n\n"])
    func anEventThatCannotBeUsedEndsTheValues(_ event: String) async throws {
        network.stub(.get("/news/a"), events("data: {\"title\":\"A\"}\n\n" + event))

        let (titles, error) = try await titles()
        #expect(titles == ["A"])
        #expect(error?.stage == .parse)
        #expect(error?.request?.url?.path == "/news/a")
        #expect(error?.statusCode == 200)
        #expect(error?.underlying is DecodingError == event.hasPrefix("data"))
        #expect(network.requests.count == 1)
    }

    @Test func throwsTheErrorOfTheRequest() async throws {
        network.stub(.get("/news/a"), .text("go away", status: 403))

        let error = await #expect(throws: APIRequestError.self) { try await all() }
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? NewsRequest.Refusal == NewsRequest.Refusal(text: "go away"))
        #expect("\(error!)".hasPrefix("NewsRequest: GET https://api.example.com/news/a got"))
    }

    @Test func acceptsNoOtherStatus() async throws {
        network.stub(
            .get("/news/a"),
            .text(
                "data: a\n\n", status: 201, headers: ["Content-Type": "text/event-stream"]))

        let error = await #expect(throws: APIRequestError.self) { try await all() }
        #expect(error?.underlying is UnacceptableStatusError)
    }
}
