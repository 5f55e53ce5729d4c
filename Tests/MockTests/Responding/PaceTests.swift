import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The pieces of a body, the times between them, and the events of a stream.
@Suite(.limited, .usesSockets) struct PaceTests {
    /// The times of the pieces that a client receives.
    private func times(
        _ response: MockResponse, _ transport: Transport = .direct
    ) async throws -> [Duration] {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, response)
        let load = Task { try await session.exchange(URLRequest(url: baseURL)).0.text }
        await network.waitForRequests()
        await clock.advance(by: .seconds(50))
        #expect(try await load.value == "abcd")
        return network.requests[0].sent.map(\.time)
    }

    /// Without a clock, each piece comes at once, and the answer is given as a whole.
    @Test(arguments: Transport.allCases)
    func aPaceTakesNoTimeWithoutAClock(_ transport: Transport) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(
            .any, .chunks(["ab", "cd"], every: .seconds(70)).delayed(by: .seconds(70)))

        #expect(try await session.exchange(URLRequest(url: baseURL)).0.text == "abcd")
        #expect(network.requests[0].sent.map(\.text) == ["ab", "cd"])
        #expect(network.requests[0].endTime == .zero)
    }

    @Test(
        arguments: Transport.allCases,
        [["data: 1\n\n", "data: 2\n\n"], ["é"], ["", "a", ""], []])
    func theWholeBodyArrives(_ transport: Transport, _ pieces: [String]) async throws {
        let network = MockNetwork()
        network.stub(
            .any, .chunks(pieces, every: .seconds(1), contentType: "text/event-stream", status: 201)
        )
        let (session, baseURL) = try transport.open(network)

        let (data, response) = try await session.exchange(URLRequest(url: baseURL))

        #expect(data.text == pieces.joined())
        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
    }

    /// The indices of a slice do not begin at 0.
    @Test func aSliceCanBeCut() async throws {
        let slice = Data("abcdefgh".utf8).dropFirst(3)
        let network = MockNetwork()
        network.stub(.get("/pieces"), .data(slice).chunked(by: 2))
        network.stub(.get("/part"), .data(slice).acceptingRanges)
        let session = network

        #expect(try await session.exchange(.test("/pieces")).0.text == "defgh")
        var request = URLRequest.test("/part")
        request.setValue("bytes=1-3", forHTTPHeaderField: "Range")
        #expect(try await session.exchange(request).0.text == "efg")
    }

    @Test(arguments: Transport.allCases)
    func thePiecesComeAtThePace(_ transport: Transport) async throws {
        let pieces = MockResponse.chunks(["a", "b", "c", "d"], every: .seconds(1))

        #expect(try await times(pieces, transport) == (0...3).map { .seconds($0) })
    }

    @Test(
        arguments: [
            (.text("abcd").chunked(by: 2, every: .seconds(1)), [0, 1]),
            (.chunks(["ab", "cd"], every: .seconds(1)).delayed(by: .seconds(3)), [3, 4]),
            (.chunks(["ab", "", "cd"], every: .seconds(1)), [0, 1]),
            (.chunks(["ab", "cd"]), [0, 0]), (.text("abcd"), [0]),
            (.text("abcd").delayed(by: .seconds(3)), [3]),
        ] as [(MockResponse, [Int])])
    func everyResponseHasAPace(_ response: MockResponse, _ seconds: [Int]) async throws {
        #expect(try await times(response) == seconds.map { .seconds($0) })
    }

    @Test(
        arguments: [
            (
                .chunks(["a"], every: .seconds(-1)),
                "chunks(every: -1.0 seconds): an interval must not be negative."
            )
        ] as [(MockResponse, String)])
    func refusesAPaceThatCannotBe(_ response: MockResponse, _ reason: String) {
        #expect("\(response)".hasPrefix("unusable response: "))
        #expect("\(response)".hasSuffix(reason))
    }

    @Test(arguments: Transport.allCases)
    func eachEventIsAPiece(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let (session, baseURL) = try transport.open(network)
        let events = [
            ServerSentEvent(data: "a\nb"), ServerSentEvent(event: "end", data: "", id: "7"),
        ]
        network.stub(
            .any, .events(events, every: .seconds(1), status: 201, headers: ["X-Name": "a"]))

        let (body, response) = try await session.stream(URLRequest(url: baseURL))
        await clock.advance(by: .seconds(1))
        var (parser, parsed) = (ServerSentEvents(), [ServerSentEvent]())
        for try await piece in body { parsed += try parser.parse(piece) }

        #expect(parsed == [events[0], events[1]])
        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "X-Name") == "a")
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        let sent = network.requests.first?.sent
        #expect(sent?.map(\.text) == events.map(\.text))
        #expect(sent?.map(\.time) == [.zero, .seconds(1)])
    }

    @Test(
        arguments: [
            (.events(["a", "b"]), "data: a\n\ndata: b\n\n"),
            (.events(["a"], until: "[DONE]", every: .seconds(1)), "data: a\n\ndata: [DONE]\n\n"),
            (.events([], until: "[DONE]"), "data: [DONE]\n\n"), (.events([]), ""),
        ] as [(MockResponse, String)])
    func anEventMayHaveOnlyData(_ response: MockResponse, _ text: String) async throws {
        let network = MockNetwork()
        network.stub(.any, response)

        #expect(try await network.exchange(.test("a")).0.text == text)
    }
}
