import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private struct Delta: Decodable, Sendable {
    var text: String
}

private struct ChatRequest: StreamedAPIRequest {
    var baseURL = URL(string: "https://api.example.com")!

    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/chat").jsonBody(["question": question])
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
        ServerSentEvents.json(Delta.self, until: "[DONE]")
    }
}

/// The samples of the page on streams that load one.
@Suite(.limited) struct StreamSamples {
    private let network = MockNetwork()
    private let sample = MockResponse.events(
        [#"{"text":"Hel"}"#, #"{"text":"lo"}"#], until: "[DONE]",
        headers: ["X-RateLimit-Remaining": "7"])

    private var loader: APIRequestLoader<ChatRequest> {
        APIRequestLoader(apiRequest: ChatRequest(), urlSession: MockURLSession(network))
    }

    @Test func loop() async throws {
        network.stub(.post("/chat"), sample)
        var answer = ""

        for try await delta in loader.stream("Why is the sky blue?") {
            answer += delta.text
        }

        #expect(answer == "Hello")
    }

    @Test func partialAnswer() async throws {
        network.stub(.post("/chat"), sample.failing(afterBytes: 30))
        var answer = ""
        var message: String?

        do {
            for try await delta in loader.stream("Why is the sky blue?") {
                answer += delta.text
            }
        } catch {
            if error.isCancellation { return }
            message = error.localizedDescription  // `answer` is what arrived before.
        }

        #expect(answer == "Hel")
        #expect(message == "The network connection was lost.")
    }

    @Test func headers() async throws {
        network.stub(.post("/chat"), sample)

        var deltas = loader.stream("Why is the sky blue?").makeAsyncIterator()
        while let delta = try await deltas.next() {
            print(delta.text)
        }
        let left = deltas.response?.value(forHTTPHeaderField: "X-RateLimit-Remaining")

        #expect(left == "7")
    }

    @Test func policies() async throws {
        network.stub(.post("/chat"), sample)
        let urlSession = MockURLSession(network)

        let session =
            urlSession
            .timingOut(after: .seconds(30), idle: .seconds(60))
            .retrying()
            .limited(to: 4)
        for try await delta in session.stream(ChatRequest(), "Why is the sky blue?") {
            print(delta.text)
        }

        #expect(network.requests.count == 1)
    }

    @Test(.usesManySockets) func faults() async throws {
        try await forEachFault(in: sample) { network, clock in
            let session = network.urlSession
                .timingOut(after: .seconds(30), idle: .seconds(10), clock: clock)
            for try await _ in session.stream(ChatRequest(), "Why?") {}
        }
    }

    @Test func check() async throws {
        let report = try await checkLoader(of: ChatRequest(), with: sample, from: "Why?")

        #expect(report[.truncated(toBytes: 22)] == .error(.parse))
        #expect(report[.repeatedPiece(1)] == .value)
    }
}
