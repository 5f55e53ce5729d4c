import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The chat client of the page "Streams", and its tests.
@Suite(.limited, .usesSockets) struct ChatSamples {
    struct Message: Codable {
        var role: String
        var content: String
    }

    struct Question: Codable {
        var model = "small"
        var stream = true
        var messages: [Message]
    }

    struct Delta: Decodable, Sendable {
        struct Choice: Decodable, Sendable { var delta: Content }
        struct Content: Decodable, Sendable { var content: String? }

        var choices: [Choice]
        var text: String { choices.first?.delta.content ?? "" }
    }

    struct ChatRequest: StreamedAPIRequest {
        let baseURL: URL

        func makeRequest(from text: String) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/v1/chat/completions")
                .jsonBody(Question(messages: [Message(role: "user", content: text)]))
        }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
            ServerSentEvents.json(Delta.self, until: "[DONE]")
        }
    }

    /// The data of an event that adds a word to the answer.
    static func delta(_ word: String) -> String {
        #"{"choices": [{"delta": {"content": "\#(word)"}}]}"#
    }

    let baseURL = URL(string: "https://api.example.com")!

    @Test func showsEachWordAsItIsTyped() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .post("/v1/chat/completions").json(containing: #"{"stream": true}"#),
            .events(
                [Self.delta("Hel"), Self.delta("lo")], until: "[DONE]", every: .milliseconds(50)))
        let session = network.urlSession
        let answer = session.stream(ChatRequest(baseURL: baseURL), "Hi")
        var deltas = answer.makeAsyncIterator()

        #expect(try await deltas.next()?.text == "Hel")
        await clock.advance(by: .milliseconds(50))
        #expect(try await deltas.next()?.text == "lo")
        await clock.advance(by: .milliseconds(50))
        #expect(try await deltas.next() == nil)
    }

    @Test func saysThatAnAnswerWasCut() async throws {
        let network = MockNetwork()
        let whole = MockResponse.events([Self.delta("Hel"), Self.delta("lo")], until: "[DONE]")
        network.stub(.post("/v1/chat/completions"), whole.failing(afterBytes: 70))
        let session = network.urlSession
        var text = ""

        let error = try await #require(throws: APIRequestError.self) {
            for try await delta in session.stream(ChatRequest(baseURL: baseURL), "Hi") {
                text += delta.text
            }
        }

        #expect(text == "Hel")
        #expect(error.stage == .transport)
    }

    @Test func showsTheTextOfTheServerWhenItRefuses() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/v1/chat/completions"),
            .json(#"{"error": {"message": "Rate limit reached"}}"#, status: 429))
        let session = network.urlSession

        let error = try await #require(throws: APIRequestError.self) {
            for try await _ in session.stream(ChatRequest(baseURL: baseURL), "Hi") {}
        }

        #expect(error.stage == .validate)
        #expect(error.statusCode == 429)
        #expect("\(error)".contains("Rate limit reached"))
    }

    @Test func endsAfterAMinuteOfSilence() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.post("/v1/chat/completions"), .stream())
        let session = network.urlSession
            .timingOut(after: .seconds(30), idle: .seconds(60), clock: clock)
        let reader = Task {
            for try await _ in session.stream(ChatRequest(baseURL: baseURL), "Hi") {}
        }

        try await stub.send(ServerSentEvent(data: Self.delta("Hel")))
        await clock.waitForDeadline(within: .seconds(60))
        await clock.advance(by: .seconds(60))

        let result = await reader.result
        let error = #expect(throws: APIRequestError.self) { try result.get() }
        #expect((error?.underlying as? URLError)?.code == .timedOut)
    }

    @Test func endsTheTransferWhenTheUserLeaves() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/v1/chat/completions"),
            .stream { writer in
                while true {
                    try await writer.send(ServerSentEvent(data: Self.delta("la")))
                    try await writer.sleep(for: .milliseconds(50))
                }
            })
        let session = network.urlSession

        for try await _ in session.stream(ChatRequest(baseURL: baseURL), "Hi") { break }

        let requests = await network.waitForResponses()
        #expect(requests.map(\.wasCancelled) == [true])
    }

    @Test func readsTheBytes() async throws {
        let network = MockNetwork()
        network.stub(.get("/log"), .chunks(["one\n", "two\n"]))
        let session = network.urlSession
        let request = URLRequest(url: baseURL.appending(path: "log"))
        var received = 0

        let (body, response) = try await session.stream(request)
        for try await piece in body { received += piece.count }

        #expect(response.statusCode == 200)
        #expect(received == 8)
    }
}
