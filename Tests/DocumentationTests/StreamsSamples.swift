import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The data of an event that adds a word to the answer.
func delta(_ word: String) -> String { #"{"choices": [{"delta": {"content": "\#(word)"}}]}"# }

/// The chat client of Streams.md, and its tests in Time.md.
@Suite(.limited) struct StreamsSamples {
    private let network = MockNetwork()
    private var session: MockNetwork { network }
    private let chatPath = RequestMatcher.post("/v1/chat/completions")
    private let whole = MockResponse.events([delta("Hel"), delta("lo")], until: "[DONE]")

    struct Delta: Decodable, Sendable {
        struct Choice: Decodable, Sendable { var delta: Content }
        struct Content: Decodable, Sendable { var content: String? }

        var choices: [Choice]
        var text: String { choices.first?.delta.content ?? "" }
    }

    struct Message: Codable {
        var role: String
        var content: String
    }

    struct Question: Codable {
        var stream = true
        var messages: [Message]
    }

    struct ChatRequest: StreamedAPIRequest {
        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from text: String) throws -> URLRequest {
            let message = Message(role: "user", content: text)
            return try URLRequest("POST", baseURL, path: "/v1/chat/completions")
                .jsonBody(Question(messages: [message]))
        }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<Delta> {
            ServerSentEvents().until(data: "[DONE]").json(Delta.self)
        }
    }

    @MainActor final class ChatModel {
        private(set) var answer = ""
        private(set) var message: String?
        private(set) var reading: Task<Void, Never>?
        private let session: any HTTPSession

        init(_ session: any HTTPSession) { self.session = session }

        func ask(_ text: String) {
            stop()
            answer = ""
            reading = Task { await read(text) }
        }

        func stop() { reading?.cancel() }

        private func read(_ text: String) async {
            do {
                for try await delta in session.stream(ChatRequest(), text) {
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

    @Test func keepsWhatArrivedBeforeTheEnd() async throws {
        network.stub(chatPath, whole.failing(afterBytes: 70))
        var answer = ""
        var message: String?

        do {
            for try await delta in session.stream(ChatRequest(), "Why is the sky blue?") {
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
        let model = ChatModel(network)

        model.ask("Hi")
        try await stub.send(ServerSentEvent(data: delta("Hel")))
        try await stub.waitForReader()
        #expect(model.answer == "Hel")

        model.stop()
        let requests = await network.waitForResponses()
        #expect(requests.map(\.wasCancelled) == [true])
        await model.reading?.value
        #expect(model.message == nil)
    }

    private func elements<Element>(
        of parser: some StreamParser<Element>, _ body: String
    ) throws -> [Element] {
        var parser = parser
        let elements = try parser.parse(Data(body.utf8))
        return parser.isComplete ? elements : try elements + parser.finish()
    }

    struct MessageEvent: Decodable {
        struct Delta: Decodable { var text: String? }
        var delta: Delta?
    }

    struct Generation: Decodable {
        struct Candidate: Decodable { var finishReason: String? }
        var candidates: [Candidate]
    }

    private func messages() -> some StreamParser<String> {
        ServerSentEvents()
            .until { $0.event == "message_stop" }
            .json(MessageEvent.self)
            .compactMap { $0.delta?.text }
    }

    private func generations() -> some StreamParser<Generation> {
        ServerSentEvents().json(Generation.self)
            .until { $0.candidates.first?.finishReason != nil }
    }

    @Test func knowsTheLastElement() throws {
        let message =
            ServerSentEvent(event: "content_block_delta", data: #"{"delta":{"text":"Hel"}}"#).text
        let stop = ServerSentEvent(event: "message_stop", data: "{}").text
        let generation =
            ServerSentEvent(data: #"{"candidates":[{"finishReason":"STOP"}]}"#).text

        #expect(try elements(of: messages(), message + stop) == ["Hel"])
        #expect(throws: StreamError.self) { try elements(of: messages(), message) }
        #expect(try elements(of: generations(), generation).count == 1)
        #expect(throws: StreamError.self) { try elements(of: generations(), "") }
    }

    /// The public client of a package, whose types do not name this library.
    struct Chat {
        let session: any HTTPSession

        func answer(to request: URLRequest) -> AsyncThrowingStream<String, any Error> {
            let parser = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
            let deltas = session.stream(request, parser).makeAsyncIterator()
            return AsyncThrowingStream(unfolding: {
                var deltas = deltas  // Copies read the same response.
                do throws(APIRequestError) {
                    return try await deltas.next()?.text
                } catch  where error.isCancellation {
                    return nil  // Its reader has left.
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
        network.stub(chatPath, whole, whole.failing(afterBytes: 70))
        let chat = Chat(session: network)
        let request = try ChatRequest().makeRequest(from: "Hi")

        #expect(try await chat.answer(to: request).reduce(into: "") { $0 += $1 } == "Hello")
        await #expect(throws: ChatError.self) { for try await _ in chat.answer(to: request) {} }
    }

    @Test func endsAStreamInAnotherTypeQuietlyWhenItsReaderIsCancelled() async throws {
        let stub = network.stub(chatPath, .stream())
        let chat = Chat(session: network)
        let request = try ChatRequest().makeRequest(from: "Hi")
        let reader = Task { try await chat.answer(to: request).reduce(into: "") { $0 += $1 } }

        try await stub.send(ServerSentEvent(data: delta("Hel")))
        try await stub.waitForReader()
        reader.cancel()

        #expect(try await reader.value == "Hel")
    }

    @Test func looksAtTheHeadersBeforeTheStream() async throws {
        network.stub(chatPath, whole.header("X-Model", "m"))
        let request = try ChatRequest().makeRequest(from: "Hello")
        let deltas = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
        var (model, answer): (String?, String) = (nil, "")

        let (body, response) = try await session.stream(request)
        model = response.value(forHTTPHeaderField: "X-Model")
        for try await delta in body.elements(deltas) { answer += delta.text }

        #expect(model == "m")
        #expect(answer == "Hello")
    }

    @Test func acceptsAStreamWithoutItsTerminator() async throws {
        let deltas = ServerSentEvents().compactMap { event in
            event.data == "[DONE]" ? nil : try event.decode(Delta.self)
        }
        let events = [delta("Hel"), delta("lo")].map { ServerSentEvent(data: $0).text }

        #expect(try elements(of: deltas, events.joined()).map(\.text) == ["Hel", "lo"])
        let end = ServerSentEvent(data: "[DONE]").text
        #expect(try elements(of: deltas, events[0] + end).map(\.text) == ["Hel"])
    }

    @Test func streamsAURLRequest() async throws {
        network.stub(chatPath, whole)
        let request = try ChatRequest().makeRequest(from: "Hello")
        var answer = ""

        let deltas = ServerSentEvents().until(data: "[DONE]").json(Delta.self)
        for try await delta in session.stream(request, deltas, name: "chat") {
            answer += delta.text
        }

        #expect(answer == "Hello")
    }

    private struct Headline: Decodable { var title: String }

    /// Events that reconnect.
    @Test func continuesOverSeveralConnections() async throws {
        let stream =
            "retry: 1\nevent: headline\nid: 1\ndata: {\"title\":\"a\"}\n\nid: 2\ndata: b\n\n"
        network.stub(
            .get("/events"), .chunks([stream], contentType: "text/event-stream"), .status(204))
        let url = URL(string: "https://api.example.com/events")!
        var shown: [String] = []
        func show(_ headline: Headline) { shown.append(headline.title) }

        var lastEventID = ""
        var request = URLRequest(url: url)
        request.timeoutInterval = 3_600  // the longest silence of the server

        for try await event in session.events(request, after: lastEventID) {
            if event.event == "headline" { show(try event.decode(Headline.self)) }
            lastEventID = event.id
        }

        #expect(lastEventID == "2")
        #expect(shown == ["a"])
    }
}
