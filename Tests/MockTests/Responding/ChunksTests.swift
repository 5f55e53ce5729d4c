import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct ChunksTests {
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
        let session = MockURLSession(network)

        #expect(try await session.exchange(.test("/pieces")).0.text == "defgh")
        var request = URLRequest.test("/part")
        request.setValue("bytes=1-3", forHTTPHeaderField: "Range")
        #expect(try await session.exchange(request).0.text == "efg")
    }

    @Test(arguments: Transport.allCases)
    func thePiecesTakeTime(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .chunks(["a", "", "b", "c"], every: .seconds(5)))
        let (session, baseURL) = try transport.open(network)
        async let load = session.exchange(URLRequest(url: baseURL))

        for _ in 1...2 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(5))
        }

        #expect(try await load.0.text == "abc")
        #expect(network.requests.first?.endTime == .seconds(10))
    }

    @Test func aDelegateReceivesThePiecesAsGiven() async {
        let network = MockNetwork()
        network.stub(.any, .chunks(["data: 1", "\n\nda", "ta: 2\n\n"], every: .seconds(1)))

        let events = await DelegateClient().run(.test("a"), network.configuration, .session)

        #expect(
            events == [
                .response(200), .piece("data: 1"), .piece("\n\nda"), .piece("ta: 2\n\n"), .end(nil),
            ])
    }

    @Test func refusesANegativeInterval() {
        #expect(
            "\(MockResponse.chunks(["a"], every: .seconds(-1)))"
                == "unusable response: chunks(every: -1.0 seconds): an interval is not negative.")
    }
}
