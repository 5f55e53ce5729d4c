import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct PaceTests {
    @Test(arguments: Transport.allCases)
    func aPaceTakesNoTimeWithoutAClock(_ transport: Transport) async throws {
        let response = MockResponse.chunks(["ab", "cd"], every: .seconds(70))
        let client = try TestClient(transport, MockNetwork(response.delayed(by: .seconds(70))))

        #expect(try await client.load() == "abcd")
        #expect(client.network.requests[0].sent.map(\.text) == ["ab", "cd"])
        #expect(client.network.requests[0].endTime == .zero)
    }

    @Test func aSliceCanBeCut() async throws {
        let slice = Data("abcdefgh".utf8).dropFirst(3)
        let network = MockNetwork()
        network.stub(.get("/pieces"), .data(slice).chunked(by: 2))
        network.stub(.get("/part"), .data(slice).acceptingRanges)

        #expect(try await network.exchange(.test("/pieces")).0.text == "defgh")
        var request = URLRequest.test("/part")
        request.setValue("bytes=1-3", forHTTPHeaderField: "Range")
        #expect(try await network.exchange(request).0.text == "efg")
    }

    @Test(
        arguments: [
            (.chunks(["a", "b", "c", "d"], every: .seconds(1)), "abcd", [0, 1, 2, 3]),
            (.text("abcd").chunked(by: 2, every: .seconds(1)), "abcd", [0, 1]),
            (.chunks(["ab", "cd"], every: .seconds(1)).delayed(by: .seconds(3)), "abcd", [3, 4]),
            (.chunks(["ab", "", "cd"], every: .seconds(1)), "abcd", [0, 1]),
            // Without an interval, the pace stays, and only the last of several times repeats.
            (.chunks(["ab", "cd"], every: .seconds(1)).chunked(by: 1), "abcd", [0, 1, 2, 3]),
            (.text("abcd").chunked(by: 2).with(\.gaps, [.seconds(1)]), "abcd", [1, 1]),
            (.chunks(["ab", "cd"]), "abcd", [0, 0]), (.text("abcd"), "abcd", [0]),
            (.text("abcd").delayed(by: .seconds(3)), "abcd", [3]),
            // An event may have only data.
            (.events(["a", "b"]), "data: a\n\ndata: b\n\n", [0, 0]),
            (
                .events(["a"], until: "[DONE]", every: .seconds(1)),
                "data: a\n\ndata: [DONE]\n\n", [0, 1]
            ),
            (.events([], until: "[DONE]"), "data: [DONE]\n\n", [0]), (.events([]), "", []),
        ] as [(MockResponse, String, [Int])])
    func everyResponseHasAPace(
        _ response: MockResponse, _ text: String, _ seconds: [Int]
    ) async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(response, clock: clock)
        let load = Task { try await network.exchange(.test("a")).0.text }
        await network.waitForRequests()

        await clock.advance(by: .seconds(50))

        #expect(try await load.value == text)
        #expect(network.requests[0].sent.map(\.time) == seconds.map { .seconds($0) })
    }

    @Test(arguments: Transport.allCases)
    func eachEventIsAPiece(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let client = try TestClient(transport, MockNetwork(clock: clock))
        let events = [
            ServerSentEvent(data: "a\nb"), ServerSentEvent(event: "end", data: "", id: "7"),
        ]
        client.network.stub(
            .any, .events(events, every: .seconds(1), status: 201, headers: ["X-Name": "a"]))

        let (body, response) = try await client.stream()
        await clock.advance(by: .seconds(1))
        var (parser, parsed) = (ServerSentEvents(), [ServerSentEvent]())
        for try await piece in body { parsed += try parser.parse(piece) }

        #expect(parsed == [events[0], events[1]])
        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "X-Name") == "a")
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/event-stream")
        let sent = client.network.requests.first?.sent
        #expect(sent?.map(\.text) == events.map(\.text))
        #expect(sent?.map(\.time) == [.zero, .seconds(1)])
    }
}
