import TestSupport

/// The texts of a network. `Wordings.txt` shows them.
@Suite(.limited) struct MockWordingTests {
    @Test func areThoseOfTheFile() async throws {
        try await expectWordings(
            [
                responses, withoutResponse(), unusable(), refused(), neverUsed(), unfinished(),
                differences(), ReplayTests.wordings(), ArchiveWritingTests.wordings(),
                WaitReportTests.wordings(),
            ] + FaultTests.wordings())
    }

    /// What `print` shows of a response: one line, without a secret.
    private let responses = Wordings(
        "A response",
        ([
            .json("{}"), .status(204), .text("abc").header("X-Token", "hunter2"), .hanging,
            .error(.timedOut), .text("a").held, .text("a").delayed(by: .seconds(2)),
            .text("abc").chunked(by: 1, every: .seconds(1)), .text("abc").failing(afterBytes: 1),
            .chunks(["a", "b"], every: .seconds(1)), .events(["a"]), .stream(status: 201),
            .stream(contentType: "text/plain") { _ in }.held, .status(0),
        ] as [MockResponse]).map { "\($0)" })

    /// The error of a request, which `verify()` repeats.
    private func failure(
        of request: URLRequest = .test("a"), over network: MockNetwork
    ) async throws -> String {
        let text = try await network.mockError(request)
        #expect(network.findings.contains(text), "\(text)")
        return text
    }

    private func withoutResponse() async throws -> Wordings {
        let post = try URLRequest(
            "POST", URL(string: "https://api.example.com")!, path: "/users", query: ["page": 2],
            headers: ["Accept": "a/b"]
        ).jsonBody(["name": "Emma"])
        let network = MockNetwork()
        network.stub(.get("/users"), .text("x"), times: .any, fileID: "A/B.swift", line: 6)
        network.stub(
            .post("/users").query(["page": "1"]).header("Accept", "c/d").json(#"{"name": "Ann"}"#),
            .text("x"), times: .any, fileID: "A/B.swift", line: 7)
        let once = MockNetwork()
        once.stub(.any, .text("x"), times: .once, fileID: "A/B.swift", line: 7)
        _ = try await once.exchange(.test("a"))
        let placed = await #expect(throws: VerificationError.self) {
            try await withMockNetwork(fileID: "A/B.swift", line: 12) { network in
                _ = try? await network.exchange(.test("a"))
            }
        }
        return Wordings(
            "A request to which no stub responds", try await failure(over: MockNetwork()),
            "\(try #require(placed))", try await failure(of: post, over: network),
            try await failure(over: once))
    }

    private func unusable() async throws -> Wordings {
        let responses: [MockResponse] = [
            .text("x").delayed(by: .seconds(-1)), .text("x").chunked(by: 1, every: .seconds(-1)),
            .text("x").chunked(by: 0), .text("x").failing(afterBytes: -1),
            .json("{").delayed(by: .seconds(1)),
        ]
        var texts: [String] = []
        for response in responses {
            let (network, handling) = (MockNetwork(), MockNetwork())
            network.stub(.any, response, fileID: "A/B.swift", line: 7)
            handling.stub(.any, fileID: "A/B.swift", line: 7) { _ in response }
            texts.append(try await failure(over: network))
            #expect(try await failure(over: handling) == texts.last)
            #expect(handling.findings.count == 1)
        }
        for times in [Stub.Times.exactly(-1), .atLeast(-1)] {
            let network = MockNetwork()
            network.stub(.any, .text("x"), times: times, fileID: "A/B.swift", line: 7)
            texts.append(try await failure(over: network))
        }
        return Wordings("A stub that cannot be used", texts)
    }

    private func refused() async throws -> Wordings {
        let (never, one, two) = (MockNetwork(), MockNetwork(), MockNetwork())
        never.stub(.any, .text("x"), times: .never, fileID: "A/B.swift", line: 7)
        one.stub(.any, .text("1"), then: .fail, fileID: "A/B.swift", line: 7)
        two.stub(.any, .text("1"), .text("2"), then: .fail, fileID: "A/B.swift", line: 7)
        _ = try await one.exchange(.test("a"))
        for _ in 1...2 { _ = try await two.exchange(.test("a")) }
        return Wordings(
            "A request that a stub refuses", try await never.mockError(), try findings(never),
            try await failure(over: one), try await failure(over: two))
    }

    private func findings(_ network: MockNetwork) throws -> String {
        try #require(throws: VerificationError.self) { try network.verify() }.description
    }

    private func neverUsed() async throws -> Wordings {
        let unused = MockNetwork()
        unused.stub(.get("/unused"), .text("x"), fileID: "A/B.swift", line: 1)
        let shadowed = MockNetwork()
        shadowed.stub(.get("/users/{id}"), .text("x"), fileID: "A/B.swift", line: 1)
        shadowed.stub(.any, .text("y"), fileID: "A/B.swift", line: 2)
        _ = try await shadowed.exchange(.test("users/7"))
        return Wordings("A stub that is not used", try findings(unused), try findings(shadowed))
    }

    private func unfinished() async throws -> Wordings {
        let network = MockNetwork()
        network.stub(.get("/unused"), .text("x"), fileID: "A/B.swift", line: 1)
        network.stub(.get("/twice"), .text("x"), times: .exactly(2), fileID: "A/B.swift", line: 2)
        let held = network.stub(.get("/held"), .text("x").held, fileID: "A/B.swift", line: 3)
        let load = Task { try await network.exchange(.test("held")) }
        await held.waitForRequests()
        _ = try await network.exchange(.test("twice"))
        _ = try? await network.exchange(.test("nowhere"))
        let text = try findings(network)
        load.cancel()
        _ = await load.result
        return Wordings("All findings together", text)
    }
}
