import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited) struct AssistantTests {
    private let clock = MockClock()
    private let network = MockNetwork()
    private let baseURL = URL(string: "https://api.example.com/v1")!

    private func assistant(_ tokens: TokenStore? = nil) -> Assistant {
        Assistant(
            baseURL: baseURL, tokens: tokens ?? TokenStore(token: "t1") { "t2" },
            over: network, clock: clock)
    }

    private let models = MockResponse.json(#"{"data": [{"id": "small"}]}"#)

    @Test func getsAndReplacesItsTokenOnceForAllCalls() async throws {
        network.stub(.get("/v1/models").header("Authorization", "Bearer t1"), .status(401))
        network.stub(.get("/v1/models").header("Authorization", "Bearer t2"), models)
        for token in [nil, "t1"] {
            let tokens = TokenStore(token: token) { "t2" }
            let assistant = assistant(tokens)

            async let first = assistant.models()
            async let second = assistant.models()
            #expect(try await [first, second].map { $0.map(\.id) } == [["small"], ["small"]])

            #expect(await tokens.renewalCount == 1)
        }
    }

    @Test func countsItsAttempts() async throws {
        network.stub(.get("/v1/models"), .status(503), .status(429), models)
        async let loaded = assistant().models()

        await clock.waitForSleepers()
        await clock.advanceToNextSleeper()
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(5)])
        await clock.advanceToNextSleeper()

        #expect(try await loaded.count == 1)
        #expect(network.requests.map { $0.header("X-Retry-Count") } == [nil, "1", "2"])
    }

    @Test func throwsAnErrorOfItsOwn() async {
        for (response, expected): (MockResponse, AssistantError) in [
            (
                .json(#"{"error": {"message": "No access."}}"#, status: 403),
                .refused(status: 403, reason: "No access.")
            ), (.error(.secureConnectionFailed), .unreachable),
            (.json(#"{"data": 1}"#), .unreadable("The server's response could not be understood.")),
        ] {
            network.stub(.get("/v1/models"), response)
            await #expect(throws: expected) { try await assistant().models() }
        }
        let requests = network.requests.count
        let tokens = TokenStore { throw AssistantError.signedOut }
        await #expect(throws: AssistantError.signedOut) { try await assistant(tokens).models() }
        #expect(network.requests.count == requests)
    }

    private func events(_ events: ServerSentEvent...) -> MockResponse { .events(events) }

    private func word(_ text: String) -> ServerSentEvent {
        ServerSentEvent(event: "word", data: #"{"text": "\#(text)"}"#)
    }

    @Test func returnsTheWordsOfAnAnswer() async throws {
        network.stub(
            .post("/v1/answers").json(#"{"question": "Why?"}"#),
            events(word("Rayleigh"), ServerSentEvent(event: "ping", data: ""), word("scattering")))

        var words: [String] = []
        for try await word in assistant().answer(to: "Why?") { words.append(word) }

        #expect(words == ["Rayleigh", "scattering"])
    }

    @Test func deliversTheWordsBeforeAnError() async {
        let data = #"{"error": {"message": "Overloaded."}}"#
        network.stub(
            .post("/v1/answers"),
            .chunks(
                [word("a").text + ServerSentEvent(event: "error", data: data).text],
                contentType: "text/event-stream"))
        var words: [String] = []

        await #expect(throws: AssistantError.refused(status: 200, reason: "Overloaded.")) {
            for try await word in assistant().answer(to: "Why?") { words.append(word) }
        }

        #expect(words == ["a"])
    }
}
