import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private struct Delta: Decodable, Equatable {
    var text: String
}

private struct ChatRequest: StreamedAPIRequest {
    func makeRequest(from question: String) throws -> URLRequest {
        try URLRequest("POST", URL(string: "https://api.example.com")!, path: "/chat")
            .jsonBody(["question": question])
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
        ServerSentEvents.json(Delta.self, until: "[DONE]")
    }
}

/// The samples about mocked streams of Streams.md, Testing.md and Time.md.
@Suite(.limited) private struct MockStreamsSamples {
    private let network: MockNetwork
    private let loader: APIRequestLoader<ChatRequest>

    init() {
        network = MockNetwork()
        loader = APIRequestLoader(
            apiRequest: ChatRequest(), urlSession: MockURLSession(network))
    }

    private func texts(_ question: String) async throws -> [String] {
        var texts: [String] = []
        for try await delta in loader.stream(question) { texts.append(delta.text) }
        return texts
    }

    @Test func answersWithEvents() async throws {
        network.stub(
            .post("/chat"),
            .events([#"{"text": "Hel"}"#, #"{"text": "lo"}"#], until: "[DONE]")
                .paced(
                    timeToFirst: .milliseconds(400), every: .milliseconds(30),
                    jitter: .milliseconds(10)))

        #expect(try await texts("Say hello") == ["Hel", "lo"])
        #expect(network.requests[0].sent[0].time == .milliseconds(400))
    }

    @Test func answersWithAWriter() async throws {
        network.stub(
            .post("/chat"),
            .stream { writer in
                try await writer.send("data: {\"text\": \"Hel\"}\n\n")
                try await writer.sleep(for: .seconds(2))
                try await writer.send(ServerSentEvent(data: #"{"text": "lo"}"#))
                try await writer.send("data: [DONE]\n\n")
            })

        #expect(try await texts("Say hello") == ["Hel", "lo"])
    }

    @Test func sendsFromTheTest() async throws {
        let stub = network.stub(.post("/chat"), .stream())
        let answer = Task { try await texts("Say hello") }

        try await stub.send(ServerSentEvent(data: #"{"text": "Hel"}"#))
        try await stub.send(ServerSentEvent(data: #"{"text": "lo"}"#))
        try await stub.send("data: [DONE]\n\n")
        try await stub.finish()

        #expect(try await answer.value == ["Hel", "lo"])
    }

    @Test func breaksOffFromTheTest() async throws {
        let stub = network.stub(.post("/chat"), .stream())
        let answer = Task { try await texts("Say hello") }

        try await stub.send(ServerSentEvent(data: #"{"text": "Hel"}"#))
        try await stub.fail(with: .networkConnectionLost)

        await #expect(throws: APIRequestError.self) { try await answer.value }
    }

    @Test func holdsTheBody() async throws {
        let stub = network.stub(.get("/report"), .text("done").heldBody)

        let request = URLRequest(url: URL(string: "https://api.example.com/report")!)
        let (body, response) = try await MockURLSession(network).stream(request)
        #expect(response.statusCode == 200)

        stub.release()
        for try await piece in body { #expect(piece == Data("done".utf8)) }
    }

    @Test func movesTheClockOfAWriter() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .get("/ticks"),
            .stream(contentType: "text/plain") { writer in
                for number in 1...3 {
                    try await writer.send("\(number)\n")
                    try await writer.sleep(for: .seconds(10))
                }
            })
        let request = URLRequest(url: URL(string: "https://api.example.com/ticks")!)
        async let answer = MockURLSession(network).exchange(request)

        for _ in 1...3 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(10))
        }

        #expect(try await answer.0 == Data("1\n2\n3\n".utf8))
        let times = network.requests[0].sent.map(\.time)
        #expect(times == [.zero, .seconds(10), .seconds(20)])
    }
}
