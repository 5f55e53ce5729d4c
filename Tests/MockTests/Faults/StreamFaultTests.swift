import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct StreamFaultTests {
    private struct Word: Decodable, Sendable {
        var text: String
    }

    private struct WordsRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest { .test("words") }

        func makeParser(for response: HTTPURLResponse) -> some StreamParser<Word> {
            ServerSentEvents().until(data: "[DONE]").json(Word.self)
        }
    }

    private static let events = ["a", "é"].map { "data: {\"text\":\"\($0)\"}\n\n" }

    private static let sample = MockResponse.chunks(
        events + ["data: [DONE]\n\n"], contentType: "text/event-stream")

    @Test func aStreamIsCutStoppedAndRepeated() {
        let faults = Fault.all(of: Self.sample)
        let ends = Self.events.map(\.utf8.count)
        let length = ends[0] + ends[1] + 14

        for count in 0..<length { #expect(faults.contains(.failing(afterBytes: count))) }
        for count in 1..<length { #expect(faults.contains(.truncated(toBytes: count))) }
        for count in [ends[0], ends[0] + ends[1], length / 2] {
            #expect(faults.contains(.stalled(afterBytes: count)))
        }
        for number in 1...3 { #expect(faults.contains(.repeatedPiece(number))) }
        #expect(!faults.contains(.repeatedPiece(4)))
        #expect(Set(faults).count == faults.count)
        #expect(!Fault.all(of: .text("hello")).contains(.repeatedPiece(1)))
    }

    @Test func aLongStreamIsCutAtTheEndsOfItsPieces() {
        let pieces = (0..<100).map { "data: \($0)\(String(repeating: "x", count: 100))\n\n" }
        let all = Fault.all(of: .chunks(pieces))
        let faults = Set(all)
        let length = pieces.joined().utf8.count
        let ends = pieces.indices.dropLast().map { pieces[...$0].joined().utf8.count }

        #expect(ends.filter { faults.contains(.failing(afterBytes: $0)) }.count >= 64)
        #expect((0..<length).filter { faults.contains(.failing(afterBytes: $0)) }.count <= 128)
        #expect((1...100).filter { faults.contains(.repeatedPiece($0)) }.count == 64)
        #expect(all == Fault.all(of: .chunks(pieces)))
    }

    @Test func everyByteOfAStreamUpTo4096() {
        let text = String(repeating: "x", count: 4_096)
        let sample = MockResponse.text(text, headers: ["Content-Type": "text/event-stream"])
        let stream = Set(Fault.all(of: sample))

        #expect((0..<4_096).allSatisfy { stream.contains(.failing(afterBytes: $0)) })
        #expect(stream.contains(.stalled(afterBytes: 2_048)))
    }

    @Test(arguments: ServerSentEvents().mediaTypes + JSONLines(String.self).mediaTypes)
    func aMediaTypeOfAStream(_ type: String) {
        let isOnlyAStream = !["json", "plain", "octet-stream"].contains { type.hasSuffix("/\($0)") }

        let faults = Fault.all(of: .text("\"a\"\n", headers: ["Content-Type": type]))

        #expect(faults.contains(.stalled(afterBytes: 2)) == isOnlyAStream)
    }

    @Test func aPieceArrivesTwice() async throws {
        let network = MockNetwork()
        network.stub(.any, Fault.repeatedPiece(2).response(from: Self.sample))

        let words = try await network.load(WordsRequest())

        #expect(words.map(\.text) == ["a", "é", "é"])
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func aStreamThatStopsIsTimedOut(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let client = try TestClient(transport, MockNetwork(clock: clock))
        client.network.stub(
            .any, Fault.stalled(afterBytes: Self.events[0].utf8.count).response(from: Self.sample))
        var words = client.session.stream(WordsRequest()).makeAsyncIterator()

        #expect(try await words.next()?.text == "a")
        await clock.advance(by: .seconds(60))

        let error = await #expect(throws: APIRequestError.self) { try await words.next() }
        #expect((error?.underlying as? URLError)?.code == .timedOut)
    }

    /// A response with events announces no length, and neither does its stall.
    @Test func aStreamOfEventsStopsWithoutALength() async throws {
        let network = MockNetwork()
        network.stub(.any, Fault.stalled(afterBytes: 3).response(from: .events(["1", "2"])))
        let (body, response) = try await network.stream(.test("words"))
        var pieces = body.makeAsyncIterator()

        #expect(response.value(forHTTPHeaderField: "Content-Length") == nil)
        #expect(try await pieces.next()?.text == "dat")
    }

    // The request may have an endless timeout, and the sample has its own delays.
    @Test(arguments: [0, TimeInterval.infinity, TimeInterval(Int32.max)])
    func aStreamThatStopsNeverEnds(_ timeout: TimeInterval) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let sample = MockResponse.chunks(
            Self.events, every: .milliseconds(30), contentType: "text/event-stream")
        network.stub(.any, Fault.stalled(afterBytes: 5).response(from: sample))
        var request = URLRequest.test("words")
        request.timeoutInterval = timeout
        let load = Task { [request] in try await network.exchange(request) }
        await clock.waitForSleepers()

        // About 31 years.
        #expect(clock.pending == [.seconds(1_000_000_000)])
        await clock.advanceToNextSleeper()

        await #expect(throws: URLError(.timedOut)) { try await load.value }
        #expect(network.requests.first?.sentBody.byteCount == 5)
    }

    @Test func theIntervalOfPiecesReplacesThatOfTheSample() async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        let sample = MockResponse.chunks(Self.events, every: .milliseconds(30))
        network.stub(.get("/slow"), Fault.slow.response(from: sample))
        network.stub(.get("/paced"), sample.chunked(by: 3))

        for path in ["slow", "paced"] {
            async let load = network.exchange(.test(path))
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(99))
            _ = try await load
        }

        for (request, interval) in zip(network.requests, [Duration.seconds(1), .milliseconds(30)]) {
            let times = request.sent.map(\.time)
            #expect(times.count > 1)
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == interval })
        }
    }

    @Test func everyFaultEndsInElementsOrInAnAPIRequestError() async throws {
        let report = try await forEachFault(in: Self.sample) { network, clock in
            let session = network.timingOut(after: .seconds(30), idle: .seconds(10), clock: clock)
            for try await _ in session.stream(WordsRequest()) {}
        }

        #expect(report[.stalled(afterBytes: Self.events[0].utf8.count)] == .error(.transport))
        #expect(report[.failing(afterBytes: 19)] == .error(.transport))
        #expect(report[.truncated(toBytes: 19)] == .error(.parse))
        #expect(report[.repeatedPiece(1)] == .value)
    }
}
