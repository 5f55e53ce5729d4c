import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct StreamReaderTests {
    private struct WordsRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest { .test("words") }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<String> {
            ServerSentEvents().until(data: "[DONE]").json(String.self)
        }
    }

    /// A view model that shows the words of a stream.
    @MainActor private final class Model {
        private let session: any HTTPSession
        private(set) var words: [String] = []

        init(_ session: any HTTPSession) { self.session = session }

        func load() async throws {
            for try await word in session.stream(WordsRequest()) { words.append(word) }
        }
    }

    private static let transports = [Transport.urlProtocol, .direct]

    @Test(arguments: transports, [false, true])
    func aReaderThatHasLeftDoesNotWait(_ transport: Transport, hasTerminator: Bool) async throws {
        for _ in 0..<30 {
            let (client, stub) = try TestClient.stubbed(transport)
            let terminator = hasTerminator ? "data: [DONE]\n\n" : ""
            async let sent: Void = stub.send("data: \"a\"\n\n" + terminator)

            for try await _ in client.session.stream(WordsRequest()) where !hasTerminator { break }

            try client.network.verify()
            try await sent
        }
    }

    @Test(arguments: transports)
    func aReaderThatReadsWaits(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport)
        let reader = Task { for try await _ in client.session.stream(WordsRequest()) {} }
        try await stub.waitForReader()

        #expect(client.network.findings.count == 1)
        reader.cancel()
        _ = await reader.result
        try client.network.verify()
    }

    @Test(arguments: transports)
    @MainActor func aViewModelHasShownWhatTheReaderTook(_ transport: Transport) async throws {
        for _ in 0..<30 {
            let (client, stub) = try TestClient.stubbed(transport)
            let model = Model(client.session)
            async let loaded: Void = model.load()

            try await stub.waitForReader()
            for (word, words) in [("a", ["a"]), ("b", ["a", "b"])] {
                try await stub.send("data: \"\(word)\"\n\n")
                try await stub.waitForReader()
                #expect(model.words == words)
            }
            try await stub.send("data: [DONE]\n\n")
            try await loaded
            try client.network.verify()
            // The reader has left.
            try await stub.waitForReader()
        }
    }

    @Test(arguments: transports)
    @MainActor func eachEventThatIsDueHasBeenRead(_ transport: Transport) async throws {
        let steps = 42
        let events = (0..<steps).map { ServerSentEvent(data: "\"\($0)\"") }
        for _ in 0..<3 {
            let clock = MockClock()
            let (client, stub) = try TestClient.stubbed(
                transport, clock: clock, .events(events, every: .seconds(1)))
            let model = Model(client.session)
            let loading = Task { try await model.load() }
            try await stub.waitForReader()

            // With the last event, the response ends, and no reader waits.
            for _ in 1..<steps - 1 {
                let count = model.words.count
                await clock.advance(by: .seconds(1))
                try await stub.waitForReader()
                #expect(model.words.count == count + 1)
            }
            loading.cancel()
            _ = await loading.result
        }
    }

    @Test func theWaitEndsWithTheTask() async throws {
        let stub = MockNetwork().stub(.any, .stream())
        let waiting = Task { try await stub.waitForReader() }

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test(arguments: Transport.allCases)
    func nothingShowsWhatAnotherClientHasRead(_ transport: Transport) async throws {
        let (client, stub) = try TestClient.stubbed(transport, .hanging)
        let load = Task { try await client.load() }

        let error = await #expect(throws: MockError.self) {
            try await stub.waitForReader(fileID: "A/B.swift", line: 3)
        }

        #expect(error?.description.hasPrefix("stub.waitForReader() (A/B.swift:3) failed") == true)
        load.cancel()
        _ = await load.result
    }
}
