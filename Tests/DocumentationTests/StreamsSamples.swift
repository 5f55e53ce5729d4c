import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The chat client of Streams.md, and its tests in StreamTests.md.
@Suite(.limited, .usesSockets) struct StreamsSamples {
    struct Message: Codable {
        var role: String
        var content: String
    }

    struct Question: Codable {
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
            let message = Message(role: "user", content: text)
            return try URLRequest("POST", baseURL, path: "/v1/chat/completions")
                .jsonBody(Question(messages: [message]))
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

    @MainActor final class ChatModel {
        private(set) var answer = ""
        private(set) var message: String?
        private(set) var reading: Task<Void, Never>?
        private let session: any HTTPSession
        private let request: ChatRequest

        init(_ session: any HTTPSession, _ request: ChatRequest) {
            self.session = session
            self.request = request
        }

        func ask(_ text: String) {
            stop()
            answer = ""
            reading = Task { await read(text) }
        }

        func stop() { reading?.cancel() }

        private func read(_ text: String) async {
            do {
                for try await delta in session.stream(request, text) {
                    if Task.isCancelled { return }
                    answer += delta.text
                }
            } catch  where error.isCancellation {
                // The user has stopped the answer.
            } catch {
                message = error.localizedDescription
            }
        }
    }

    @Test func showsEachWordAsItIsTyped() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .post("/v1/chat/completions").json(containing: #"{"stream": true}"#),
            .events(
                [Self.delta("Hel"), Self.delta("lo")], until: "[DONE]",
                every: .milliseconds(50)))
        let session = network.urlSession
        let answer = session.stream(ChatRequest(baseURL: baseURL), "Hi")
        var deltas = answer.makeAsyncIterator()

        #expect(try await deltas.next()?.text == "Hel")
        await clock.advance(by: .milliseconds(50))
        #expect(try await deltas.next()?.text == "lo")
        await clock.advance(by: .milliseconds(50))
        #expect(try await deltas.next() == nil)
    }

    @Test func keepsWhatArrivedBeforeTheEnd() async throws {
        let network = MockNetwork()
        let whole = MockResponse.events([Self.delta("Hel"), Self.delta("lo")], until: "[DONE]")
        network.stub(.post("/v1/chat/completions"), whole.failing(afterBytes: 70))
        let session = network.urlSession
        let request = ChatRequest(baseURL: baseURL)
        var answer = ""
        var message: String?

        do {
            for try await delta in session.stream(request, "Why is the sky blue?") {
                answer += delta.text
            }
        } catch {
            if error.isCancellation { return }
            message = error.localizedDescription  // `answer` is what arrived before.
        }

        #expect(answer == "Hel")
        #expect(message == "The network connection was lost.")
    }

    @Test @MainActor func showsAnAnswerUntilItIsStopped() async throws {
        let network = MockNetwork()
        let stub = network.stub(.post("/v1/chat/completions"), .stream())
        let request = ChatRequest(baseURL: baseURL)
        let model = ChatModel(MockURLSession(network), request)

        model.ask("Hi")
        try await stub.send(ServerSentEvent(data: Self.delta("Hel")))
        try await stub.waitForReader()
        #expect(model.answer == "Hel")

        model.stop()
        let requests = await network.waitForResponses()
        #expect(requests.map(\.wasCancelled) == [true])
        await model.reading?.value
        #expect(model.message == nil)
    }

    @Test @MainActor func showsAWholeAnswer() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/v1/chat/completions"),
            .events([Self.delta("Hel"), Self.delta("lo")], until: "[DONE]"), .status(503))
        let model = ChatModel(MockURLSession(network), ChatRequest(baseURL: baseURL))

        model.ask("Hi")
        await model.reading?.value
        #expect(model.answer == "Hello")
        #expect(model.message == nil)

        model.ask("Hi")
        await model.reading?.value
        #expect(model.message != nil)
        try network.verify()
    }

    @Test func endsAfterTwentySecondsOfSilence() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.post("/v1/chat/completions"), .stream())
        let deltas = network.urlSession
            .timingOut(after: .seconds(30), idle: .seconds(20), clock: clock)
            .stream(ChatRequest(baseURL: baseURL), "Hi")
        async let error = #expect(throws: APIRequestError.self) {
            for try await _ in deltas {}
        }

        try await stub.send(ServerSentEvent(data: Self.delta("Hel")))
        try await stub.waitForReader()
        await clock.advance(by: .seconds(20))
        try await stub.finish()

        #expect((await error?.underlying as? URLError)?.code == .timedOut)
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
        let deltas = network.urlSession.stream(ChatRequest(baseURL: baseURL), "Hi")
        for try await _ in deltas { break }

        let requests = await network.waitForResponses()
        #expect(requests.map(\.wasCancelled) == [true])
    }

    private func elements<Element>(
        of parser: some StreamParser<Element>, _ body: String
    ) throws -> [Element] {
        var parser = parser
        return try parser.parse(Data(body.utf8)) + parser.finish()
    }

    @Test func goesOnAfterABadElement() throws {
        let parser =
            ServerSentEvents().compactMap { event in
                try? JSONDecoder().decode(Delta.self, from: Data(event.data.utf8))
            }
        let data = [Self.delta("a"), "{", Self.delta("b"), "[DONE]"]
        let body = data.map { ServerSentEvent(data: $0).text }.joined()

        #expect(try elements(of: parser, body).map(\.text) == ["a", "b"])
    }

    private func parserWithOptionalTerminator() -> some StreamParser<Delta> {
        ServerSentEvents().compactMap { event in
            if event.data == "[DONE]" { return nil }
            return try JSONDecoder().decode(Delta.self, from: Data(event.data.utf8))
        }
    }

    @Test(arguments: ["", "data: [DONE]\n\n"])
    func needsNoTerminator(_ end: String) throws {
        let parser = parserWithOptionalTerminator()

        let body = "data: \(Self.delta("a"))\n\n"
        #expect(try elements(of: parser, body + end).map(\.text) == ["a"])
        #expect(throws: DecodingError.self) { try elements(of: parser, "data: {\n\n" + end) }
    }

    struct TextDelta: Decodable {
        struct Text: Decodable { var text: String }
        var delta: Text
    }

    struct ModelError: Decodable, Error {
        struct Text: Decodable { var message: String }
        var error: Text
    }

    private func parserOfNamedEvents() -> some StreamParser<TextDelta> {
        ServerSentEvents().compactMap { event in
            let (data, decoder) = (Data(event.data.utf8), JSONDecoder())
            if event.event == "error" { throw try decoder.decode(ModelError.self, from: data) }
            if event.event != "content_block_delta" { return nil }
            return try decoder.decode(TextDelta.self, from: data)
        }
    }

    @Test func decodesByTheNameOfTheEvent() throws {
        let text = #"{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hel"}}"#
        let events = [
            ServerSentEvent(event: "message_start", data: #"{"type":"message_start"}"#),
            ServerSentEvent(event: "ping", data: #"{"type":"ping"}"#),
            ServerSentEvent(event: "content_block_delta", data: text),
            ServerSentEvent(event: "message_stop", data: #"{"type":"message_stop"}"#),
        ]
        let error = ServerSentEvent(
            event: "error", data: #"{"type":"error","error":{"message":"Overloaded"}}"#)

        let body = events.map(\.text).joined()
        #expect(try elements(of: parserOfNamedEvents(), body).map(\.delta.text) == ["Hel"])
        #expect(throws: ModelError.self) {
            try elements(of: parserOfNamedEvents(), body + error.text)
        }
    }

    struct SpeechRequest: StreamedAPIRequest {
        let baseURL: URL

        func makeRequest(from text: String) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/v1/audio/speech").jsonBody(["input": text])
        }

        func makeParser(for response: HTTPURLResponse) -> BodyPieces {
            BodyPieces(mediaTypes: ["audio/mpeg"])
        }
    }

    @Test func receivesAudio() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/v1/audio/speech"), .chunks(["a", "b"], contentType: "audio/mpeg"),
            .text("<html>"))
        let session = MockURLSession(network)

        var audio = Data()
        for try await piece in session.stream(SpeechRequest(baseURL: baseURL), "Hi") {
            audio += piece
        }

        #expect(audio == Data("ab".utf8))
        await #expect(throws: APIRequestError.self) {
            for try await _ in session.stream(SpeechRequest(baseURL: baseURL), "Hi") {}
        }
    }

    /// The public client of a package, whose types do not name this library.
    struct Chat {
        let session: any HTTPSession
        let request: ChatRequest

        func answer(to text: String) -> AsyncThrowingStream<String, any Error> {
            let deltas = session.stream(request, text).makeAsyncIterator()
            return AsyncThrowingStream(unfolding: {
                var deltas = deltas  // Copies read the same response.
                do throws(APIRequestError) {
                    return try await deltas.next()?.text
                } catch {
                    throw ChatError(error)
                }
            })
        }
    }

    struct ChatError: Error {
        let text: String

        init(_ error: APIRequestError) { text = error.localizedDescription }
    }

    @Test func returnsAStreamInAnotherType() async throws {
        let network = MockNetwork()
        let whole = MockResponse.events([Self.delta("Hel"), Self.delta("lo")], until: "[DONE]")
        network.stub(.post("/v1/chat/completions"), whole, whole.failing(afterBytes: 70))
        let chat = Chat(
            session: MockURLSession(network), request: ChatRequest(baseURL: baseURL))

        #expect(try await chat.answer(to: "Hi").reduce(into: "") { $0 += $1 } == "Hello")
        await #expect(throws: ChatError.self) {
            for try await _ in chat.answer(to: "Hi") {}
        }
    }

    struct ToolRequest: StreamedAPIRequest {
        struct Message: Decodable {
            var id: Int
        }

        func makeRequest(from name: String) throws -> URLRequest {
            try URLRequest("POST", URL(string: "https://api.example.com")!, path: "/tools")
        }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<Message> {
            ServerSentEvents.json(Message.self, orBodyOf: response)
        }
    }

    @Test(arguments: [
        (MockResponse.json(#"{"id": 1}"#), [1]),
        (.events([#"{"id": 1}"#, #"{"id": 2}"#]), [1, 2]),
    ])
    func readsJSONOrEvents(_ response: MockResponse, _ ids: [Int]) async throws {
        let network = MockNetwork()
        network.stub(.post("/tools"), response)

        let messages = try await MockURLSession(network).load(ToolRequest(), "search")

        #expect(messages.map(\.id) == ids)
    }
}
