import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .usesSockets) struct ChunksTests {
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

    @Test(arguments: Transport.allCases)
    func thePiecesTakeTime(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .chunks(["a", "", "b", "c"], every: .seconds(5)))
        let (session, baseURL) = try transport.open(network)
        let load = Task { try await session.exchange(URLRequest(url: baseURL)) }

        for _ in 1...2 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(5))
        }

        #expect(try await load.value.0.text == "abc")
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
