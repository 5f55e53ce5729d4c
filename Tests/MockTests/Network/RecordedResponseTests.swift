import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct RecordedResponseTests {
    typealias Row = (response: MockResponse, status: Int?, pieces: [String], error: URLError.Code?)

    /// Responses, and what the journal keeps of them.
    private static let rows: [Row] = [
        (.json("{}", status: 201), 201, ["{}"], nil),
        (.text("abc").delayed(by: .seconds(1)), 200, ["abc"], nil),
        (.chunks(["a", "bc"], every: .seconds(1)), 200, ["a", "bc"], nil),
        (.chunks(["a", "bc"]), 200, ["a", "bc"], nil), (.status(204), 204, [], nil),
        (.text(""), 200, [], nil), (.error(.timedOut), nil, [], .timedOut),
        (.text("abc").failing(afterBytes: 1), 200, ["a"], .networkConnectionLost),
        (
            .text("abc").chunked(by: 2).failing(afterBytes: 3), 200, ["ab", "c"],
            .networkConnectionLost
        ),
    ]

    @Test(arguments: Transport.allCases)
    func keepsTheResponse(_ transport: Transport) async throws {
        await forEachRow(Self.rows, named: \.response.description) { row, comment in
            let client = try TestClient(transport)
            client.network.stub(.any, row.response, times: .any)
            _ = try? await client.load()

            let request = try #require(await client.network.waitForResponses().first, comment)
            #expect(request.response?.statusCode == row.status, comment)
            #expect(request.sent.map(\.text) == row.pieces, comment)
            #expect(request.sentBody.pieceCount == row.pieces.count, comment)
            #expect(request.sentBody.byteCount == row.pieces.joined().utf8.count, comment)
            #expect((request.error as? URLError)?.code == row.error, comment)
        }
    }

    @Test func keepsTheErrorOfARequestToWhichNothingResponds() async throws {
        let network = MockNetwork()
        _ = try? await network.exchange(.test("a"))
        let error = network.requests[0].error as? MockError
        #expect(error?.description.hasPrefix("No stub responds to GET https://") == true)
        #expect(network.requests[0].response == nil)
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func keepsThePiecesOfARequestThatIsPassedOn(_ transport: Transport) async throws {
        let server = MockNetwork()
        let stub = server.stub(.any, .stream(contentType: "text/plain"))
        let network = MockNetwork(.passthrough(to: server))
        let session = try transport.open(network).session

        async let opened = session.stream(.test("a"))
        try await stub.send("one")
        let (body, response) = try await opened
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "one")
        try await stub.send("two")
        #expect(try await pieces.next()?.text == "two")
        try await stub.fail(with: .timedOut)
        await #expect(throws: URLError.self) { try await pieces.next() }

        #expect(response.statusCode == 200)
        await network.waitForResponses()
        let request = network.requests[0]
        #expect(request.sent.map(\.text) == ["one", "two"])
        #expect(request.wasPassedThrough)
        #expect((request.error as? URLError)?.code == .timedOut)
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1)])
    func keepsABoundedNumberOfPiecesAndBytes(_ pace: Duration) async throws {
        let pieces = Array(repeating: "a", count: 10_010)
        let large = [String(repeating: "a", count: 1_048_575), "bb", "c"]
        let network = MockNetwork(clock: ContinuousClock())
        network.stub(.get("/pieces"), .chunks(pieces, every: pace))
        network.stub(.get("/large"), .chunks(large, every: pace))

        for path in ["pieces", "large"] { _ = try await network.exchange(.test(path)) }

        let requests = network.requests
        #expect(requests[0].sent.count == 10_000)
        #expect(requests[1].sent.map(\.data.count) == [1_048_575])
        #expect(requests.map(\.sentBody.pieceCount) == [10_010, 3])
        #expect(requests.map(\.sentBody.byteCount) == [10_010, 1_048_578])
    }
}
