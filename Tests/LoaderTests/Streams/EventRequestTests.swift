import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The events of an `APIRequest`.
@Suite(.limited) struct EventRequestTests {
    private struct NewsRequest: APIRequest {
        struct Refusal: Error, Equatable { var text: String }

        let made = Locked(0)

        func makeRequest(from topic: String) throws -> URLRequest {
            made.withLock { $0 += 1 }
            return try URLRequest(
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
    private func all() async throws(APIRequestError) -> [String] {
        var all: [String] = []
        let session = MockURLSession(network)
        for try await event in try session.events(request, "a", reconnecting: atOnce) {
            all.append(event.data)
        }
        return all
    }

    @Test func makesTheRequestOnceForAllConnections() async throws {
        network.stub(
            .get("/news/a"), events("id: 1\ndata: a\n\n"), .status(503),
            events("id: 2\ndata: b\n\n"), .status(204))

        // The request accepts a 204, and refuses a 503 with an error of its own.
        #expect(try await all() == ["a", "b"])

        #expect(network.requests.map { $0.header("Last-Event-ID") } == [nil, "1", "1", "2"])
        #expect(request.made.withLock { $0 } == 1)
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

        #expect(error?.underlying is UnacceptableStatus)
    }

    @Test func throwsAtOnceIfTheRequestCannotBeMade() {
        let error = #expect(throws: APIRequestError.self) {
            try MockURLSession(network).events(request, "..")
        }

        #expect(error?.stage == .makeRequest)
    }
}
